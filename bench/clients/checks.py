"""What must hold between what a client sent and what the provider got."""
import json, re

import dialects
from servers import TASK

SUMMARY = "[CONTEXT COMPACTION]"
NOTE = "[Note: Some earlier conversation turns have been compacted"
OURS = {"messages", "input", "system", "instructions", "tools", "thinking", "cache_control", "prompt_cache_key"}


def judge(state):
    """Figures of one case, and its faults as text."""
    faults, figures = [], {name: 0 for name in ("requests", "compactions", "invalid", "newest", "live", "reminders", "upstream_calls")}
    sent = {}
    for record in state.provider:
        sent.setdefault(record["of"], []).append(record)
    before = None
    for number, client in sorted(state.client.items()):
        dialect = dialects.dialect_of(client["path"])
        got = sent.get(number, [])
        figures["upstream_calls"] += len(got)
        if dialect is None or client["body"] is None:
            continue
        own = dialects.errors_of(dialect, client["body"], client["headers"], known=state.known)
        for record in got:
            ours = [error for error in record["errors"] if error not in own]
            figures["invalid"] += bool(ours)
            faults += [f"#{number} invalid upstream: {error}" for error in ours]
        if own:
            faults.append(f"#{number} the client's own request is invalid: {own}")
        tools = dialects.tools_of(client["body"])
        last = got[-1] if got else None
        if not got or not last.get("main"):
            if not got or client["status"] != 200:
                faults.append(f"#{number} the client saw {client['status']}, the provider got {len(got)} requests")
            continue
        figures["requests"] += 1
        action = client["answer"].get("x-epitome-action", "none")
        figures["compactions"] += action.startswith("compacted")
        wanted, found = (dialects.turns_of(dialect, body, state.known) for body in (client["body"], last["body"]))
        figures["reminders"] = max(figures["reminders"], sum(turn.role == "system" for turn in wanted[1:]))
        missing = newest_missing(wanted, found)
        figures["newest"] += not missing
        faults += [f"#{number} {action}: newest input is missing: {what}" for what in missing]
        dead = live_missing(wanted, found)
        figures["live"] += not dead
        faults += [f"#{number} {action}: {dead}"] if dead else []
        faults += [f"#{number} {action}: {what}" for what in changed(dialect, client["body"], last["body"])]
        now = bare(dialects.sequence(client["body"])), bare(dialects.sequence(last["body"]))
        if before and action in ("replayed", "marked", "untouched") and now[0][:len(before[0])] == before[0] and now[1][:len(before[1])] != before[1]:
            faults.append(f"#{number} {action}: the prefix moved without a compaction")
        before = now
    faults += [f"provider's #{number}: nothing of the newest step or request in it" for number in state.script.lost]
    return figures, faults


def newest_missing(wanted, found):
    """Texts and results since the assistant last spoke, each of which must stand in a turn of its role; a result at its call."""
    missing, result_of = [], {name: text for turn in found for name, text in turn.results}
    for turn in dialects.newest_of(wanted):
        texts = [text for other in found if other.role == turn.role for text in other.texts if SUMMARY not in text]
        missing += [f"{turn.role}: {text[:60]!r}" for text in turn.texts if text.strip() and text not in texts]
        missing += [f"result of {name}" for name, text in turn.results if result_of.get(name) != text]
    return missing


def live_missing(wanted, found):
    """The request of the person that is worked on: a user message still, and the last such."""
    def requests(turns):
        return [text for turn in turns if turn.role == "user" for text in turn.texts if TASK.search(text) and SUMMARY not in text]
    live = requests(wanted)[-1:]
    if not live:
        return "the client sent no request"
    if not any(live[0] in text for text in requests(found)):
        return "the live request is no user message"
    if TASK.findall(requests(found)[-1])[-1] != TASK.findall(live[0])[-1]:
        return "the last request is not the live one"
    return None


def changed(dialect, sent, got):
    """System prompt, tools, and fields that are none of ours."""
    found = []
    wanted, there = dialects.system_of(dialect, sent), [text.split(NOTE)[0].rstrip() for text in dialects.system_of(dialect, got)]
    if [text.rstrip() for text in wanted] != [text for text in there if text]:
        found.append("the system prompt is another")
    if bare(sent.get("tools")) != bare(got.get("tools")):
        found.append("the tools are others")
    for key in set(sent) | set(got):
        if key not in OURS and sent.get(key) != got.get(key):
            found.append(f"the field {key} is another")
    return found


def bare(value):
    """Without marks for the cache, and in one shape."""
    if isinstance(value, list):
        return [bare(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: bare(item) for key, item in value.items() if key != "cache_control"}
    content = value.get("content")
    return {**value, "content": [{"type": "text", "text": content}]} if isinstance(content, str) else value
