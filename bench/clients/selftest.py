#!/usr/bin/env python3
"""Do the checks see what they are for? Each breaks recorded requests of a run that had none of these faults, and must be found.

usage: selftest.py OUT      what run.py recorded
"""
import copy, json, pathlib, sys

import checks, dialects


def strings(value, change):
    """The value with each text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: item if key in ("id", "call_id", "tool_call_id", "tool_use_id", "type", "role", "name") else strings(item, change) for key, item in value.items()}
    return [strings(item, change) for item in value] if isinstance(value, list) else value


def key_of(body):
    return "messages" if "messages" in body else "input"


def without_a_result(dialect, body):
    """The first result goes, its call stays."""
    found = dialects.sequence(body)
    if dialect == "messages":
        for message in found:
            kept = [block for block in message["content"] if block.get("type") != "tool_result"] if isinstance(message["content"], list) else []
            if kept != message["content"] and isinstance(message["content"], list):
                message["content"] = kept or [{"type": "text", "text": "gone"}]
                return
    del found[next(at for at, item in enumerate(found) if item.get("role") == "tool" or item.get("type") in dialects.OUTPUTS)]


def without_a_call(dialect, body):
    found = dialects.sequence(body)
    del found[next(at for at, item in enumerate(found) if dialects.turns_of(dialect, {key_of(body): [item]})[0].calls)]


def result_twice(dialect, body):
    found = dialects.sequence(body)
    at = next(at for at, item in enumerate(found) if dialects.turns_of(dialect, {key_of(body): [item]})[0].results)
    found.insert(at, copy.deepcopy(found[at]))


def newest_shortened(dialect, body):
    found = dialects.sequence(body)
    at = max(at for at, item in enumerate(found) if dialects.turns_of(dialect, {key_of(body): [item]})[0].results)
    found[at] = strings(found[at], lambda text: text[:len(text) // 2] or text)


def reminder_gone(dialect, body):
    found = dialects.sequence(body)
    if found[-1].get("role") in ("system", "developer"):
        del found[-1]
    else:
        newest_shortened(dialect, body)


def live_in_a_summary(dialect, body):
    body[key_of(body)] = strings(dialects.sequence(body), lambda text: f"{checks.SUMMARY} {text}" if checks.TASK.search(text) else text)


def system_changed(dialect, body):
    if "system" in body or "instructions" in body:
        body.update({key: strings(body[key], str.upper) for key in ("system", "instructions") if key in body})
    else:
        dialects.sequence(body)[0] = strings(dialects.sequence(body)[0], str.upper)


def tool_gone(dialect, body):
    body["tools"] = body["tools"][1:]


def field_gone(dialect, body):
    del body["model"]


def main():
    looked, blind = {}, []
    for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        if not (folder / "client.jsonl").exists() or "stored" in folder.name:
            continue
        clients = [json.loads(line) for line in (folder / "client.jsonl").read_text().splitlines()]
        provider = {record["of"]: record for record in map(json.loads, (folder / "provider.jsonl").read_text().splitlines())}
        for number, client in enumerate(clients, 1):
            dialect, got = dialects.dialect_of(client["path"]), provider.get(number)
            turns = dialects.turns_of(dialect, client["body"]) if dialect and client["body"] else []
            if not got or not got.get("main") or not turns[1:] or not dialects.newest_of(turns)[0].results:
                continue
            def complaints(body):
                errors = dialects.errors_of(dialect, body, got["headers"])
                wanted, found = turns, dialects.turns_of(dialect, body)
                return errors + checks.newest_missing(wanted, found) + list(filter(None, [checks.live_missing(wanted, found)])) + checks.changed(dialect, client["body"], body)
            if complaints(got["body"]):
                continue
            for damage in (without_a_result, without_a_call, result_twice, newest_shortened, reminder_gone, live_in_a_summary, system_changed, tool_gone, field_gone):
                body = copy.deepcopy(got["body"])
                damage(dialect, body)
                looked[damage.__name__, dialect] = looked.get((damage.__name__, dialect), 0) + 1
                if not complaints(body):
                    blind.append(f"{folder.name} #{number}: {damage.__name__} was not seen")
            break
    for (name, dialect), count in sorted(looked.items()):
        print(f"{name:20}{dialect:12}{count:4} requests")
    print("\n".join(blind) or "all of it was seen")
    return bool(blind) or len({dialect for _, dialect in looked}) < 3


if __name__ == "__main__":
    sys.exit(main())
