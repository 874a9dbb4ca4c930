"""Which packages the distribution has; everything else is in pyproject.toml.

data/ is installed beside the code as the package patch_agent_data, so that a wheel carries it.
"""

from setuptools import find_namespace_packages, setup

setup(
    packages=[
        *find_namespace_packages(include=["patch_agent", "patch_agent.*", "widgets", "widgets.*"]),
        "patch_agent_data",
    ],
    package_dir={"patch_agent_data": "data"},
)
