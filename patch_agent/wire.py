"""A request's messages as plain JSON, and back.

The form is that of chat-completion APIs, which is the one that most tools read. Two things
are ours: a system message that our code adds has the id of its part as its `name`, and
content that is more than text, or a call before the last words, is a list of typed parts, so
that nothing is lost on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from patch_agent.messages import (
    Block,
    Image,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)

ROLES = ("system", "user", "assistant", "tool")
MOST_TOKENS = 10**12
"""Tokens that a record may claim: a figure of thousands of digits could not even be printed."""


class WireError(ValueError):
    """A wire message that is not of the documented form; it names the place and the value."""


def to_wire(message: Message) -> dict[str, Any]:
    """The message as a JSON object."""
    wire: dict[str, Any] = {"role": message.role}
    if message.name is not None:
        wire["name"] = message.name
    if message.role == "tool" and len(message.blocks) == len(message.results) == 1:
        return wire | _result_fields(message.results[0])
    said, calls = _split(message.blocks)
    match said:
        case ():
            wire["content"] = ""
        case (Text(text),) if text:
            wire["content"] = text
        case _:
            wire["content"] = [_part(block) for block in said]
    if calls:
        wire["tool_calls"] = [_call(call) for call in calls]
    return wire


def _split(blocks: tuple[Block, ...]) -> tuple[tuple[Block, ...], tuple[ToolCall, ...]]:
    """What is said, and the calls that close the message; a call in between counts as said."""
    calls: list[ToolCall] = []
    for block in reversed(blocks):
        if not isinstance(block, ToolCall):
            break
        calls.insert(0, block)
    return blocks[: len(blocks) - len(calls)], tuple(calls)


def _result_fields(done: ToolResult) -> dict[str, Any]:
    fields: dict[str, Any] = {"tool_call_id": done.call_id, "content": done.text}
    if done.error:
        fields["is_error"] = True
    if done.pending:
        fields["pending"] = True
    return fields


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _part(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Reasoning(text, opaque, ident):
            return {"type": "reasoning", "text": text, "opaque": opaque, "id": ident}
        case Image(media_type, data, tokens):
            return {"type": "image", "media_type": media_type, "data": data, "tokens": tokens}
        case ToolResult():
            return {"type": "tool_result"} | _result_fields(block)
        case ToolCall():
            return {"type": "tool_call", "call": _call(block)}


def from_wire(wire: Mapping[str, Any]) -> Message:
    """The message that a JSON object holds. Raises WireError."""
    if not isinstance(wire, Mapping):
        raise WireError(f"expected a message object, got {type(wire).__name__}")
    role = wire.get("role")
    if role not in ROLES:
        raise WireError(f"role: expected one of {', '.join(ROLES)}, got {role!r:.80}")
    blocks = _content_blocks(wire) + tuple(_read_call(call) for call in _list(wire, "tool_calls"))
    name = wire.get("name")
    if name is not None and not isinstance(name, str):
        raise WireError(f"name: expected a string, got {name!r:.80}")
    return Message(role, blocks, name=name)


def load_wire(wires: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """The messages of a list of JSON objects. Raises WireError with the index.

    Calls without an id get one each, and results without one those of the calls, in order.
    """
    messages, waiting = [], list[str]()
    for index, wire in enumerate(wires):
        try:
            messages.append(from_wire(_with_ids(wire, index, waiting)))
        except WireError as error:
            raise WireError(f"messages[{index}]: {error}") from None
    return tuple(messages)


def _with_ids(wire: Mapping[str, Any], index: int, waiting: list[str]) -> Mapping[str, Any]:
    """The message with the ids that a provider left out; `waiting` are those without a result."""
    if not isinstance(wire, Mapping):
        return wire
    if wire.get("role") == "tool" and not wire.get("tool_call_id") and waiting:
        parts = wire.get("content")
        results = [part for part in parts if _is_result(part)] if isinstance(parts, list) else []
        if not results:
            return {**wire, "tool_call_id": waiting.pop(0)}
        answered = [part.get("tool_call_id") for part in results]
        waiting[:] = [name for name in waiting if name not in answered]
    calls = wire.get("tool_calls")
    if not isinstance(calls, list) or all(map(_has_id, calls)):
        return wire
    named = []
    for place, call in enumerate(calls):
        if isinstance(call, Mapping) and not _has_id(call):
            call = {**call, "id": f"unnamed_{index}_{place}"}
            waiting.append(call["id"])
        named.append(call)
    return {**wire, "tool_calls": named}


def _is_result(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "tool_result"


def _has_id(call: Any) -> bool:
    return isinstance(call, Mapping) and call.get("id") not in (None, "")


def _list(wire: Mapping[str, Any], key: str) -> list[Any]:
    value = wire.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise WireError(f"{key}: expected a list, got {type(value).__name__}")
    return value


def _content_blocks(wire: Mapping[str, Any]) -> tuple[Block, ...]:
    content = wire.get("content")
    if wire.get("role") == "tool" and isinstance(wire.get("tool_call_id"), str):
        return (_read_result(wire),)
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    if isinstance(content, list):
        return tuple(_read_part(part) for part in content)
    raise WireError(f"content: expected a string or a list, got {type(content).__name__}")


def _read_part(part: Any) -> Block:
    kind = part.get("type") if isinstance(part, Mapping) else None
    match kind:
        case "text":
            return Text(_string(part, "text"))
        case "reasoning":
            ident = None if part.get("id") is None else _string(part, "id")
            return Reasoning(_string(part, "text"), bool(part.get("opaque")), ident)
        case "image":
            tokens = part.get("tokens")
            if type(tokens) is not int or not 0 <= tokens <= MOST_TOKENS:
                raise WireError(f"image tokens: expected a whole number, got {tokens!r:.80}")
            return Image(_string(part, "media_type"), _string(part, "data"), tokens)
        case "tool_result":
            return _read_result(part)
        case "tool_call":
            return _read_call(part.get("call"))
    raise WireError(f"content part: unknown type {kind!r:.80}")


def _read_result(part: Mapping[str, Any]) -> ToolResult:
    text = part.get("content") or ""
    if isinstance(text, list):  # some providers put the text into parts
        text = "\n".join(_string(piece, "text") for piece in map(_object, text))
    if not isinstance(text, str):
        raise WireError(f"tool result: expected a string, got {type(text).__name__}")
    failed, pending = bool(part.get("is_error")), bool(part.get("pending"))
    return ToolResult(_string(part, "tool_call_id"), text, failed, pending)


def _read_call(call: Any) -> ToolCall:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        raise WireError(f"tool call: expected an object with a function, got {call!r:.80}")
    return ToolCall(_string(call, "id"), _string(function, "name"), _string(function, "arguments"))


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise WireError(f"expected an object, got {value!r:.80}")
    return value


def _string(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise WireError(f"{key}: expected a string, got {value!r:.80}")
    return value
