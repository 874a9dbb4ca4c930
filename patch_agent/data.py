"""Finds the project's data: the running example, its recorded sessions, the catalogue.

The same call works in a checkout, where the files lie in ``data/`` beside the package, and after
an install, where a wheel puts them into ``patch_agent_data`` beside it. It reads nothing itself.
"""

from pathlib import Path

_BESIDE = Path(__file__).resolve().parent.parent


def data_path(*names: str) -> Path:
    """The path of one file or folder of the project's data, such as ``data_path("repo")``.

    Raises FileNotFoundError, naming the places that were tried, where there is no such thing.
    """
    places = [_BESIDE.joinpath(root, *names) for root in ("patch_agent_data", "data")]
    for place in places:
        if place.exists():
            return place
    tried = " or ".join(str(place) for place in places)
    raise FileNotFoundError(f"no data named {'/'.join(names)!r}: looked for {tried}")
