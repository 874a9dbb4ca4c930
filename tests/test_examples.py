"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import patch_agent


def test_every_example_in_a_docstring_prints_what_it_says():
    found = pkgutil.walk_packages(patch_agent.__path__, "patch_agent.")
    names = [module.name for module in found if not module.name.endswith("__main__")]
    results = {name: doctest.testmod(importlib.import_module(name)) for name in names}
    assert [name for name, result in results.items() if result.failed] == []
    assert sum(result.attempted for result in results.values()) > 5
