"""A small Sphinx project whose one page holds the widget twice, as an author would write it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECOND = "cb=1.6.careful.-.6.memory,task"
CONF = 'project = "Two"\nhtml_title = "Two"\nextensions = ["myst_parser", "widgets.sphinx_ext"]\n'
PAGE = f"""# Two widgets

## One

```{{context-builder}}
```

## Two

```{{context-builder}}
:key: two
:state: {SECOND}
```
"""


def build_page(folder: Path, text: str = PAGE) -> "subprocess.CompletedProcess[str]":
    """Builds a page into `folder`/html/index.html, warnings as errors."""
    source = folder / "source"
    source.mkdir(exist_ok=True)
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    (source / "index.md").write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", str(source), str(folder / "html")],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
