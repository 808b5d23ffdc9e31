"""The door to the benchmark's own measuring functions: imported from where they are, never copied."""
import importlib
import json
import os
import subprocess
import sys


def functions(directory):
    """The modules `retention` and `strategies` of the benchmark in `directory`."""
    sys.path.insert(0, os.path.abspath(directory))
    return importlib.import_module("retention"), importlib.import_module("strategies")


def compress(epitome, messages, *options):
    """What `epitome compress` makes of these messages; the very same list if it leaves them alone."""
    request = json.dumps({"messages": messages}).encode()
    command = [epitome, "compress", "--format", "openai", *options]
    done = subprocess.run(command, input=request, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')[-500:]}")
    answer = json.loads(done.stdout)["messages"]
    return messages if answer == messages else answer


def cell(part, whole):
    """A percentage as a table shows it."""
    return f"{100 * part / whole:.1f}" if whole else "-"
