"""A small project for the tools to work in, with a file outside it that they may not reach."""

import pytest


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "workspace"
    files = {
        "auth/session.py": "import time\n\n\ndef age(start):\n    return time.time() - start\n",
        "auth/tokens.py": "SKEW = 0\nOTHER = 0\n",
        "tests/fixtures/users.json": "{}\n",
        "tests/test_auth.py": "def test_status():\n    status = 200\n    assert status == 401\n",
        "README.md": "# Shop\n",
        ".git/config": "SKEW\n",
        "auth/__pycache__/tokens.pyc": "SKEW\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (tmp_path / "outside.txt").write_text("SKEW, and a secret\n")
    return folder
