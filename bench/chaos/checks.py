"""Promises, how often each was looked at, and how often it was broken."""

import json
import time
from collections import defaultdict

import dialects


class Promises:
    """What must hold. A promise that was never looked at is broken, too."""

    def __init__(self, scenario, expected):
        self.scenario, self.began = scenario, time.monotonic()
        self.looked, self.broken, self.figures = {name: 0 for name in expected}, defaultdict(list), {}

    def check(self, name, holds, example="", times=1):
        assert name in self.looked, name
        self.looked[name] += times
        if not holds:
            self.broken[name].append(str(example)[:300])
        return holds

    def checked_all(self, name, looked, broken):
        """So many were looked at, and these are broken."""
        self.looked[name] += looked
        self.broken[name] += [str(example)[:300] for example in broken]

    def figure(self, name, value):
        self.figures[name] = value

    def result(self):
        promises = [{"promise": name, "looked_at": looked, "broken": len(self.broken[name]), "examples": self.broken[name][:3]}
                    for name, looked in self.looked.items()]
        seconds = round(time.monotonic() - self.began, 1)
        holds = all(row["looked_at"] and not row["broken"] for row in promises)
        return {"scenario": self.scenario, "holds": holds, "seconds": seconds, "figures": self.figures, "promises": promises}


def show(result):
    print(f"\n{result['scenario']}: {'holds' if result['holds'] else 'BROKEN'} ({result['seconds']} s)")
    for row in result["promises"]:
        verdict = "never looked at" if not row["looked_at"] else f"{row['broken']} of {row['looked_at']} broken" if row["broken"] else f"{row['looked_at']} held"
        print(f"  {row['promise']:<78} {verdict}")
        for example in row["examples"]:
            print(f"      {example}")
    for name, value in result["figures"].items():
        print(f"    {name}: {value if isinstance(value, (int, float, str)) else json.dumps(value)}")


OUTSIDE = "not in the history"
NOT_REMEMBERED = ("compacted-once", *(f"{done}: {why}" for done in ("untouched", "marked") for why in ("store_unavailable", "failed")))


class Prefixes:
    """What the provider saw of each session. A request begins with the one before, to the byte, unless its answer says that
    it was compacted. Nobody hears of a compaction whose gateway was killed: if the provider saw it, the next request must begin
    as it did, for it was stored before it was sent; if not, the next request may bring it. `store_fails`: the store is broken
    on purpose now and then, so that an edit need not be remembered."""

    def __init__(self, store_fails=False):
        self.store_fails = store_fails
        self.sent, self.firm, self.unheard, self.silent = defaultdict(list), {}, {}, set()
        self.actions, self.announced, self.looked, self.moved = defaultdict(int), defaultdict(int), 0, []

    def saw(self, call):
        self.sent[call.mark].append(dialects.prompt(call.body))

    def told(self, mark, action):
        """What the answer says was done; None: there was none."""
        session = mark.rsplit(".", 2)[0]
        prompts = self.sent.pop(mark, [])
        for prompt in prompts:
            self.judge(session, mark, prompt, action)
        self.actions[action or "no answer"] += 1
        if action not in (None, OUTSIDE):
            self.silent.discard(session)
        elif not prompts:
            self.silent.add(session)
        if action == "compacted":
            self.announced[session] += 1

    def judge(self, session, mark, prompt, action):
        outside = action == OUTSIDE
        if outside:
            action = None  # What it did to the history is remembered, or not.
        if action in NOT_REMEMBERED:
            if not self.store_fails:
                self.moved.append(f"{mark}: {action}")
            return
        self.looked += 1
        firm, unheard = self.firm.get(session), self.unheard.pop(session, None)
        known = firm if unheard is None else unheard
        goes_on = known is None or prompt.startswith(known) or self.store_fails and firm is not None and prompt.startswith(firm)
        may_be_new = action == "compacted" or session in self.silent and (unheard is None or self.store_fails)
        if goes_on or may_be_new and (unheard is None or self.store_fails):
            self.firm[session] = prompt
        elif action is None and (unheard is None or self.store_fails):
            # A message that went out without its history says nothing of what was sent before.
            self.unheard[session] = unheard if outside and unheard is not None else prompt
        else:
            self.firm[session] = prompt
            same = next((at for at, (one, two) in enumerate(zip(known, prompt)) if one != two), min(len(known), len(prompt)))
            self.moved.append(f"{mark} ({action}) at byte {same} of {len(known)}: {known[same:same + 50]} -> {prompt[same:same + 50]}")
