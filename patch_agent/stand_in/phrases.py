"""The phrases that forbid or allow an edit, and which side of them the path stands on.

English has many; these are the ones that are read. A clause gets the first one that fits, in the
order of PHRASES.
"""

from __future__ import annotations

import re

_BASE = (
    r"(?:edit|touch|change|modify|alter|write|overwrite|rewrite|update|delete|remove|move|rename|"
    r"mess|tamper|meddle|fiddle|reformat|adjust)\b"
    r"|(?:edit|touch|chang|modify|alter|writ|overwrit|rewrit|updat|delet|remov|mov|renam|mess|"
    r"tamper|meddl|fiddl|reformatt|adjust)ing\b|go (?:near|into|anywhere near)\b"
)
"""A verb for changing a file, in a form that can follow "do not" or "avoid"."""
_DONE = (
    r"(?:edited|touched|changed|modified|altered|written|overwritten|rewritten|updated|deleted|"
    r"removed|moved|renamed|tampered with|messed with|reformatted|adjusted)\b"
)
_NOT = (
    r"(?:do not|don['’]t|never|must(?: not|n['’]t)|may not|can(?:not| not|['’]t)|"
    r"should(?: not|n['’]t)|shall not|not allowed to|not to|nobody may|no one may|avoid|"
    r"refrain from|stop|without|not (?:be )?permitted to|forbidden to|"
    r"rather (?:you|we) did(?: not|n['’]t)|under no circumstances|on no account|"
    r"not (?:true|right|so) that (?:you|we|anybody|anyone) (?:may|can|should))"
)
_SHUT = r"off[- ]limits|read[- ]only|forbidden|prohibited|banned|frozen|protected|out of bounds"
_GAP = r"(?:[\s,]+(?!forget|hesitate|mind|worry|afraid|fail|need|have|only|just|be\b)[\w’']+){0,4}?"
"""A few words between "do not" and the verb; "do not forget to edit" is no prohibition."""

ACTIVE = re.compile(
    rf"\b{_NOT}{_GAP}[\s,]+(?:{_BASE})|\b(?:nobody|no one) (?:edits|touches|changes)\b",
    re.IGNORECASE,
)
AFTER = re.compile(
    r"\bhands (?:are )?off\b|\b(?:stay|keep|stays|keeps)(?: well)? (?:out of|away from|clear of)\b"
    r"|\bleav(?:e|ing)\b(?=.*\b(?:alone|untouched|unchanged|as (?:it|they)|as is|be)\b)"
    r"|\bkeep\b(?=.*\b(?:unchanged|untouched|intact|as (?:it is|they are|is)|the way)\b)"
    r"|\bno (?:changes?|edits?|editing|touching|changing|writes?|writing|modifications?)\b"
    r"|\b(?:forbade|forbids?|prohibit(?:s|ed)?) (?:any )?(?:edits?|editing|chang(?:es?|ing))\b"
    rf"|\b(?:{_SHUT})\b[^:]*:"
    rf"|\b(?:nothing|none|no)\b(?=.*\bbe {_DONE})",
    re.IGNORECASE,
)
BEFORE = re.compile(
    rf"\b(?:{_SHUT}|untouchable|taboo|no[- ]go)\b"
    r"|\b(?:not|never) (?:allowed|permitted|wanted|welcome)\b"
    r"|\b(?:must|should|has to|have to|needs? to|shall)? ?"
    r"(?:stays?|remains?|be left|be kept) (?:\w+ )?"
    r"(?:untouched|unchanged|alone|intact|as (?:it|they))"
    rf"|\b(?:not|never|cannot|can['’]t|mustn['’]t|shouldn['’]t)(?: ever)?(?: to)? be {_DONE}"
    rf"|\b(?:is|are) never {_DONE}"
    r"|\bis not (?:yours|ours) to (?:edit|change|touch)\b",
    re.IGNORECASE,
)
MAY = re.compile(
    r"\b(?:(?:may|can|could|are allowed to|are free to|are welcome to|feel free to|go ahead and|"
    r"(?:ok|okay|fine|safe|allowed) (?:for you )?to|(?:do not|don['’]t) (?:hesitate|forget) to|"
    r"(?:not|no longer) mind (?:if )?you)(?: now| also| then| still| again)?)"
    rf" (?:{_BASE})|\b(?:edit|change|touch) (?:anything|everything|whatever|any file)\b",
    re.IGNORECASE,
)
MAY_BEFORE = re.compile(
    rf"\bfair game\b|\b(?:may|can) (?:now |again )?be {_DONE}"
    r"|\b(?:no longer|not|n['’]t)(?: \w+)? "
    rf"(?:{_SHUT})"
    rf"|\b(?:was|were) (?:{_SHUT}) (?:last \w+|back then|at (?:the|that) time|in the past)\b"
    r"|\bused to be\b|\b(?:was|were) (?:once|formerly)\b|\b(?:no longer|not|n['’]t) appl(?:y|ies)\b"
    r"|\b(?:is|has been|have been|are) lifted\b|\bis (?:over|gone|open again)\b"
    r"|\bany ?more\b.*\boff[- ]limits\b",
    re.IGNORECASE,
)
ORDER = re.compile(
    r"^\W*(?:(?:please|now|also|then|and|so),? )*"
    r"(?:edit|change|modify|alter|update|rewrite|overwrite|delete|remove|rename|adjust)\b",
    re.IGNORECASE,
)
"""A plain order to edit; only the user can give one."""

PHRASES = (
    (MAY_BEFORE, True, False),
    (BEFORE, False, False),
    (AFTER, False, True),
    (MAY, True, True),
    (ACTIVE, False, True),
    (ORDER, True, True),
)
"""Each phrase, whether it allows, and whether its path is looked for behind it first."""

DENIED = re.compile(
    r"\bno (?:such )?rule\b"
    r"|\b(?:never|not|n['’]t|nobody|no one)(?: ever)? (?:said|say|told|claimed|asked)\b"
    r"|\bnothing (?:forbids|against|speaks against)\b|\bthat (?:is|was) (?:wrong|false|not so)\b"
    r"|\bwrong to (?:say|claim|think)\b|\bbut (?:please )?ignore (?:that|it|this)\W*$"
    rf"|\b(?:do not|don['’]t) (?:think|believe)\b[^,;:]*\b(?:is|are) (?:{_SHUT})",
    re.IGNORECASE,
)
"""It says that there is no such rule."""
UNSURE = re.compile(
    r"\bwonder\b|\bnot sure (?:if|whether)\b|\b(?:old|other|previous|former) "
    r"(?:project|branch|repository|repo|service)\b"
    r"|\b(?:made|saw|found|were|see) no (?:changes?|edits?)\b"
    r"|\bno (?:changes?|edits?)\b.*\b(?:so far|were|was|been|made|found|yet)\b",
    re.IGNORECASE,
)
"""It is in doubt, speaks of another project, or tells what happened: no rule either way."""
EXCEPT = re.compile(
    r"\b(?:except|apart from|other than|with the exception of|but not|save for|but)\b",
    re.IGNORECASE,
)
CUT = re.compile(
    r";\s+|\s+[—–-]\s+|, so "
    r"|,? but (?=(?:now|you|please|leave|keep|do|don['’]t|never|the|it|they|that)\b)"
    r"|,? (?:and|or) (?=(?:please|you|do not|don['’]t|never|leave|keep|feel|it|they|nothing|stay|"
    r"must|may|can|work|use|look|go|put|see|read|run)\b)",
    re.IGNORECASE,
)
"""Where one clause ends and the next begins."""
PRONOUN = re.compile(
    r"\b(?:it|them|there|they|those|these"
    r"|(?:that|this|those|these|the) (?:folder|files?|directory|ones?))\b",
    re.IGNORECASE,
)
GOES_ON = re.compile(
    r"\b(?:them|they|those|these|(?:that|this) (?:folder|file|directory))\b|^\W*(?:it|this|that)\b",
    re.IGNORECASE,
)
"""A sentence that goes on about the same files."""
NOTHING = re.compile(r"\b(?:nothing|none|no)\b", re.IGNORECASE)
BELIEF = re.compile(
    r"\b(?:assistant|agent|patch|i|we)\b.{0,20}\b(?:assum|suppos|believ|guess|think|thought)\w*",
    re.IGNORECASE,
)

HEARSAY = re.compile(
    r"(?:(?<![\w./-])(?!AGENTS\.md)[\w./-]+\.[a-z]{1,5}`?|\b(?:README|CONTRIBUTING|comment|docstring|page|log"
    r"|output|issue|ticket|wiki|helper|report))\b.{0,30}"
    r"(?<!\buser )(?<!\buser has )(?<!\buser had )(?<!\buser also )(?<!\byou )(?<!\bas )"
    r"\b(?:says?|said|tells?|told|states?|stated|claims?|claimed|suggests?|suggested)\b"
    r"(?! by (?:the user|you)\b| the user\W*$)",
    re.IGNORECASE,
)
"""A file, a log or a helper says so: told again by a summary, it is no rule of the user's.

Where the user says it, a file that is named before is what it is about."""


def phrase_of(clause: str, kind: str) -> tuple[bool, int, int, bool] | None:
    """Allowed or not, where the phrase stands, and whether its path follows it."""
    for pattern, allowed, looks_after in PHRASES:
        match = pattern.search(clause)
        if match is None or (pattern is ORDER and kind != "user"):
            continue
        if pattern is MAY and ACTIVE.search(clause):
            continue
        if pattern is MAY_BEFORE and NOTHING.search(clause[: match.start()]):
            continue
        return allowed, match.start(), match.end(), looks_after
    return None
