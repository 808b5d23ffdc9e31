"""What the drivers of Python share: what they are to do, and three tools."""
import json, os, pathlib, subprocess

URL, API, STREAM, MODEL = os.environ["WIRE_URL"], os.environ["WIRE_API"], os.environ["WIRE_STREAM"] == "1", os.environ["WIRE_MODEL"]
PROMPTS = json.loads(os.environ["WIRE_PROMPTS"])
SYSTEM = "You are a careful agent. Use your tools, one step at a time, and report in one line."


def run_shell(command: str) -> str:
    """Runs a command in the shell.

    Args:
        command: The command.
    """
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    return f"{done.stdout}{done.stderr}" + (f"exit code {done.returncode}\n" if done.returncode else "")


def read_file(path: str) -> str:
    """Reads a file.

    Args:
        path: Which file.
    """
    return pathlib.Path(path).read_text()


def write_file(path: str, content: str) -> str:
    """Writes a file.

    Args:
        path: Which file.
        content: All of its text.
    """
    pathlib.Path(path).write_text(content)
    return f"wrote {len(content)} characters to {path}"


TOOLS = [run_shell, read_file, write_file]
