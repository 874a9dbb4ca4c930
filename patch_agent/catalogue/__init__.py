"""The catalogue: everything that the widget needs to compose any state of the running example.

Plain JSON, made by Python from real requests, real summaries, the stand-in's own evidence and
runs that were really made. The widget filters, adds and takes the first evidence that is sent.
"""

from patch_agent.catalogue.build import (
    SCHEMA,
    build_catalogue,
    catalogue_text,
    load_catalogue,
    text_script,
    texts,
)
from patch_agent.catalogue.state import State, format_state, parse_state, random_state

__all__ = [
    "SCHEMA",
    "State",
    "build_catalogue",
    "catalogue_text",
    "format_state",
    "load_catalogue",
    "parse_state",
    "random_state",
    "text_script",
    "texts",
]
