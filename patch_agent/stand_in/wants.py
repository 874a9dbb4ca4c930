"""What does the user want now? The latest user message; without one, the current request as the
task block or a summary states it. And: which tools does the request offer?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from patch_agent.stand_in.evidence import TOOLS_ARRAY, Evidence, Wire
from patch_agent.stand_in.sentences import Sentence, flat, sentences
from patch_agent.stand_in.source import Source, read_once

NO_TOOLS = "None: this call offers no tools."
LONGEST = 220
"""Characters of a message that the answer quotes; it ends with a sentence."""
_TOPIC = re.compile(
    r"\b(?:current|present|latest|open) (?:request|wish|order|question)\b|\brequest now\b"
    r"|\buser (?:now )?(?:wants|asks)\b|\bwanted now\b|\basks for (?:now|at the moment)\b"
)
_WANTS = re.compile(
    r"\b(?:user|customer|client|she|he)\b[^.]{0,20}?\b(?:now |currently )?"
    r"(?:wants|asks|wishes|would like|is asking|expects)\b",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\b(?:not clear|unclear|unknown|not known|cut off|no request|none)\b", re.IGNORECASE
)
_THANKS = re.compile(r"\W*(?:thanks|thank you|good|great|well done|fine|hello|hi)\b", re.IGNORECASE)
RANKS = {"user": 0, "task": 1, "summary": 2}


@read_once
def wants_now(here: Source) -> tuple[Evidence, ...]:
    """What a message says on the present request."""
    if here.kind not in RANKS or not here.text.strip():
        return ()
    known = sentences(here.text)
    if here.kind != "user":
        known = tuple(s for s in known if _states_wish(s))
    start, end = _opening(known)
    if start == end:
        return ()
    quote = here.text[start:end]
    answer = f"“{flat(quote)}”"
    return (Evidence(0, here.kind, start, end, quote, answer, rank=RANKS[here.kind]),)


def _states_wish(sentence: Sentence) -> bool:
    if _UNKNOWN.search(sentence.flat) or sentence.unreal or sentence.from_tool or sentence.own:
        return False
    if _TOPIC.search(sentence.topic):
        return True
    return not sentence.plan and bool(_WANTS.search(sentence.flat))


def _opening(known: tuple[Sentence, ...]) -> tuple[int, int]:
    """The first sentences, up to LONGEST characters, without thanks and words of one breath."""
    while len(known) > 1 and (len(known[0].flat.split()) < 3 or _THANKS.match(known[0].flat)):
        known = known[1:]
    if not known:
        return 0, 0
    start, end = known[0].start, known[0].end
    for sentence in known[1:]:
        if sentence.end - start > LONGEST:
            break
        end = sentence.end
    return start, end


def tools(offered: Iterable[Wire]) -> tuple[Evidence, ...]:
    """The names in the request's tool list, one piece of evidence for all of them."""
    names = [tool_name(tool) for tool in offered]
    names = [name for name in names if name]
    if not names:
        return ()
    text = ", ".join(names)
    return (Evidence(TOOLS_ARRAY, "tools", 0, len(text), text, f"{text}."),)


def tool_name(tool: Wire) -> str:
    """The name of a tool definition, plain or wrapped in a function object."""
    function = tool.get("function")
    return str((function if isinstance(function, dict) else tool).get("name", ""))
