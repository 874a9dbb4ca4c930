"""What a stranger installs: the wheel with its data, and the lists of packages, kept equal."""

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from patch_agent.data import data_path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def tracked(folder: str) -> list[Path]:
    """The files of a folder that are in git, or all of them where there is no git."""
    git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder]
    run = subprocess.run(git, cwd=ROOT, capture_output=True, text=True)
    return sorted(Path(name) for name in run.stdout.split("\0") if name and (ROOT / name).is_file())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, really built, offline, from a copy of what is in git."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in tracked("."):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--quiet"]
    pip += ["--disable-pip-version-check", "--no-build-isolation", "--wheel-dir", out, source]
    run = subprocess.run([str(word) for word in pip], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return next(out.glob("patch_agent-*.whl"))


def test_the_wheel_carries_all_data_and_modules(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    data = {f"patch_agent_data/{path.relative_to('data').as_posix()}" for path in tracked("data")}
    modules = {
        path.as_posix()
        for folder in ("patch_agent", "widgets")
        for path in tracked(folder)
        if path.suffix in (".py", ".js", ".css", ".j2")
    }
    assert len(data) >= 1
    assert sorted(data - names) == []
    assert sorted(modules - names) == []
    assert not [name for name in names if name.endswith(".pyc")]
    assert not [name for name in names if name.startswith(("tests/", "book/", "data/"))]


def test_an_installed_wheel_finds_its_data(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False)
    python = next(path for path in (tmp_path / "venv").glob("[bS]*/python*") if path.is_file())
    into = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    zipfile.ZipFile(wheel).extractall(into)
    code = (
        "from patch_agent.data import data_path\n"
        "print(data_path('README.md'))\n"
        "print(data_path('README.md').read_text())"
    )
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    run = subprocess.run(
        [python, "-c", code], cwd=tmp_path, env=clean, capture_output=True, text=True, check=True
    )
    place, text = run.stdout.split("\n", 1)
    assert Path(place).is_relative_to(into)
    assert text.rstrip() == (ROOT / "data" / "README.md").read_text().rstrip()


def test_data_is_found_in_a_checkout() -> None:
    assert data_path("README.md") == ROOT / "data" / "README.md"
    assert data_path() == ROOT / "data"


def test_data_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"no data named 'a/b\.json'.*patch_agent_data"):
        data_path("a", "b.json")


def test_requirements_are_those_of_the_project() -> None:
    lines = (ROOT / "requirements.in").read_text().splitlines()
    wanted = {line for line in lines if line and not line.startswith("#")}
    declared = {*PROJECT["dependencies"], *(name for extra in EXTRAS.values() for name in extra)}
    assert wanted == {line.split(";")[0] for line in declared}


def test_the_environment_is_that_of_the_labs() -> None:
    text = (ROOT / "environment.yml").read_text()
    conda = re.findall(r"^  - (\S.*)$", text, flags=re.M)
    pip = re.findall(r"^      - (.*)$", text, flags=re.M)
    assert f"python{PROJECT['requires-python']}" in conda
    assert sorted(pip) == sorted([*PROJECT["dependencies"], *EXTRAS["labs"], "-e ."])


def test_the_locks_are_hashed_and_name_no_registry() -> None:
    python = (ROOT / "requirements.lock").read_text()
    pins = re.findall(r"^([\w.\[\]-]+)==", python, flags=re.M)
    assert len(pins) > 100
    for block in re.split(r"\n(?=\S)", python.strip()):
        assert block.startswith("#") or "--hash=sha256:" in block, block.splitlines()[0]
    for name in ("requirements.lock", "package-lock.json"):
        assert not re.search(r"https?://|--index|file://", (ROOT / name).read_text()), name


def test_the_lock_pins_every_requirement() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    pinned = re.findall(r"^([\w.-]+)==", lock, flags=re.M)
    pins = {re.sub(r"[-_.]+", "-", name.lower()) for name in pinned}
    lines = (ROOT / "requirements.in").read_text().splitlines()
    wanted = {re.split(r"[=<>;\s]", line)[0] for line in lines if line and line[0] != "#"}
    assert wanted - pins == set()


def test_versions_agree() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    installed = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert package["name"] == PROJECT["name"]
    for name, version in package["devDependencies"].items():
        assert installed[f"node_modules/{name}"]["version"] == version
