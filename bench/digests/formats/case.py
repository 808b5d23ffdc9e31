"""One case of the bench: a tool output, what of it must survive, and the session around it."""

import json
import random
import re
from dataclasses import dataclass

SYSTEM = "You are a software engineer with a shell. Work carefully and report what you find."
TURNS = [
    ("I have seen the result and keep it in mind.", "Good. Carry on."),
    ("Next I tidy up my notes.", "Fine."),
    ("Notes are in order.", "All right, continue."),
    ("Ready for the next step.", "Then take the next step."),
]
REACH = 600  # characters in which the parts of a needle must lie
BUILDERS = {}


class Count(str):
    """Part of a needle: a number that is not written in the output but follows from it, such as how many hits."""


@dataclass
class Case:
    """`needles`: strings, or lists of strings that must stay near each other."""

    name: str
    family: str
    tool: str
    args: dict
    text: str
    needles: list
    ask: str = "Please have a look and tell me what matters here."
    last: str = TURNS[-1][1]  # the newest user message: it may ask for one detail (an interest)
    edit: dict | None = None  # the agent edits the file afterwards: {"file_path", "old_string", "new_string"}
    injected: str | None = None  # an instruction hidden in the output, which must not leave the tool result


def case(command=None, tool="Bash", ask=None, **args):
    """Registers a builder `f(r) -> (text or lines, needles[, further fields])`."""

    def register(build):
        assert build.__name__ not in BUILDERS, build.__name__
        BUILDERS[build.__name__] = (build, tool, {"command": command} if command else args, ask)
        return build

    return register


def family_of(build):
    """`logs` for a builder in formats/logs.py, `second/logs` for one in formats/second/logs.py, and so on."""
    return "/".join(build.__module__.split(".")[1:])


def make(name, seed):
    build, tool, args, ask = BUILDERS[name]
    # Each case has its own stream of numbers, so adding one case leaves the others as they were.
    text, needles, *more = build(random.Random(f"{seed}/{name}"))
    fields = dict(ask=ask) if ask else {}
    fields.update(*more)
    c = Case(
        name,
        family_of(build),
        fields.pop("tool", tool),
        fields.pop("args", args),
        text if isinstance(text, str) else "\n".join(text),
        needles,
        **fields,
    )
    fair(c)
    return c


def fair(c):
    """A needle must be in the output, and nowhere else in the session: else the bench could not tell."""
    text, around = normal(c.text), normal(json.dumps([c.ask, c.last, c.args, c.edit, SYSTEM, TURNS], ensure_ascii=False))
    for needle in c.needles:
        # Parts may lie far apart in the output (a file's name, and a line at its end); a digest brings them together.
        for part in [needle] if isinstance(needle, str) else needle:
            assert isinstance(part, Count) != within(part, text), f"{c.name}: not in its own output: {part!r}"
        assert not found(needle, around), f"{c.name}: given away by the session: {needle!r}"
    assert not c.injected or normal(c.injected) in text


def normal(text):
    """Colours and white space carry no information here."""
    return re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)).strip()


def within(part, text):
    return bool(re.search(rf"(?<!\d){part}(?!\d)", text)) if isinstance(part, Count) else normal(part) in text


def found(needle, text, reach=REACH):
    """`text` is normal(ised). A list is found where all of it lies within `reach` characters of its first string."""
    first, *rest = [needle] if isinstance(needle, str) else needle
    first = normal(first)
    at = text.find(first)
    while at >= 0:
        near = text[max(0, at - reach) : at + len(first) + reach]
        if all(within(x, near) for x in rest):
            return True
        at = text.find(first, at + 1)
    return False


def session(c, dialect):
    """The conversation in which `c.text` is old: an `edit` if any, then four short turns."""
    calls = [(c.tool, c.args, c.text)]
    if c.edit:
        calls.append(("Edit", c.edit, f"The file {c.edit['file_path']} has been updated."))
    turns = TURNS[:-1] + [(TURNS[-1][0], c.last)]
    if dialect == "openai":
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": c.ask}]
        for k, (tool, args, text) in enumerate(calls):
            function = {"name": tool, "arguments": json.dumps(args, ensure_ascii=False)}
            messages += [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": f"call_{k}", "type": "function", "function": function}],
                },
                {"role": "tool", "tool_call_id": f"call_{k}", "content": text},
            ]
        for said, answer in turns:
            messages += [{"role": "assistant", "content": said}, {"role": "user", "content": answer}]
        return {"model": "gpt-4o", "messages": messages}
    messages = [{"role": "user", "content": c.ask}]
    for k, (tool, args, text) in enumerate(calls):
        messages += [
            {"role": "assistant", "content": [{"type": "tool_use", "id": f"toolu_{k}", "name": tool, "input": args}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"toolu_{k}", "content": text}]},
        ]
    for said, answer in turns:
        messages += [{"role": "assistant", "content": [{"type": "text", "text": said}]}, {"role": "user", "content": answer}]
    return {"model": "claude-sonnet-4-5", "max_tokens": 1024, "system": SYSTEM, "messages": messages}
