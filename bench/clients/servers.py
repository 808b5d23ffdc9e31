"""A scripted, strict provider; and a recorder that stands before the gateway, so that what the client sent is known too."""
import http.client, json, re, threading, zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dialects

SHELL = ["Bash", "bash", "run_shell", "run_shell_command", "shell", "terminal", "execute_command", "exec_command", "shell_command"]
READ = ["Read", "read_file", "read"]
WRITE = ["Write", "write_file", "write"]
ARGUMENTS = {"command": ["command", "cmd"], "path": ["file_path", "path", "absolute_path"], "content": ["content", "contents", "text"]}
FENCED = "mswea_bash_command"  # an agent whose calls are text: mini-swe-agent
DONE = re.compile(r"WIRE-(\d+)-END")
TASK = re.compile(r"wire-task:(\d+)")


class Script:
    """A long loop of tool calls, told by the newest input alone: each output ends with the number of its step."""

    def __init__(self, work, tasks, records, submits, largest):
        self.work, self.records, self.tasks, self.submits, self.largest = work, records, tasks, submits, largest
        self.ends = [sum(tasks[:at + 1]) for at in range(len(tasks))]
        self.step, self.lost = 0, []

    def prompts(self):
        return [f"wire-task:{at} Go through the records of part {at} with your tools, step by step. Keep to this: the limit of part {at} is "
                f"{7919 * at % 1000} and src/part_{at}/limits.rs stays as it is. Report in one line when all steps are done."
                for at in range(1, len(self.tasks) + 1)]

    def next(self, turns, tools, number):
        shell, read, write = (next((name for name in names if name in tools), None) for names in (SHELL, READ, WRITE))
        newest = dialects.newest_of(turns)
        texts = [text for turn in newest for text in turn.texts + [result for _, result in turn.results]]
        steps = [int(step) for text in texts for step in DONE.findall(text)]
        asked = [int(task) for text in texts for task in TASK.findall(text)]
        if steps:
            self.step = max(steps)
        elif asked:
            self.step = ([0] + self.ends)[max(asked) - 1]
        else:
            self.lost.append(number)  # the newest input did not arrive; go on, so that the client comes to its end
        if (steps or not asked) and self.step in self.ends:
            done = f"WIRE-DONE {self.ends.index(self.step) + 1}"
            submit = f"printf 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\\n{done}\\n'"
            if "final_answer" in tools:
                return done, [(f"call_{number}", "final_answer", {"answer": done})]
            return (done, [(f"call_{number}", *self.shell(tools, shell, submit))]) if self.submits else (done, [])
        step = self.step + 1
        here, kind = f"{self.work}/WIRE-{step}-END.txt", step % 5
        if step == self.ends[-1]:
            calls = [self.shell(tools, shell, f"echo proof > {self.work}/proof.txt; echo WIRE-{step}-END")]
        elif kind == 2 and write:
            lines = "\n".join(f"note {line} of step {step}: limit {step * line}" for line in range(40))
            calls = [self.call(tools, write, path=here, content=f"{lines}\nWIRE-{step}-END\n")]
        elif kind == 3 and read:
            made = f"{self.work}/WIRE-{step - 1}-END.txt" if write else here
            calls = [self.call(tools, read, path=made), self.shell(tools, shell, self.listing(step, self.records // 2))]
        elif kind == 4:
            calls = [self.shell(tools, shell, self.listing(step, self.records) + "; echo 'error[E0308]: mismatched types in src/lib.rs:42'; exit 3")]
        else:
            calls = [self.shell(tools, shell, self.listing(step, self.largest if kind == 1 and step > 10 else self.records))]
        return f"Step {step}.", [(f"call_{step:03}_{at}_{number}", name, given) for at, (name, given) in enumerate(calls)]

    def listing(self, step, lines):
        return (f"awk 'BEGIN {{srand({step}); for (i = 1; i <= {lines}; i++) printf \"record %d key=%d path=/srv/app/mod_%d.rs state=%s\\n\", "
                f"i, rand() * 1e9, rand() * 900, i % 9 ? \"ok\" : \"late\"}}'; echo WIRE-{step}-END")

    def shell(self, tools, name, command):
        return self.call(tools, name, command=command)

    def call(self, tools, name, **wanted):
        properties, given = tools[name].get("properties") or {}, {}
        for what, value in wanted.items():
            key = next((key for key in ARGUMENTS[what] if key in properties), what)
            given[key] = value
        for key in tools[name].get("required") or []:
            given.setdefault(key, {"boolean": False, "integer": 1, "number": 1, "array": []}.get(properties.get(key, {}).get("type"), "a step"))
        return name, given


class State:
    """What one case has seen: `client` by number, and `provider` with the number that the recorder gave."""

    def __init__(self, script, window, gateway):
        self.script, self.window, self.gateway = script, window, gateway
        self.client, self.provider, self.known, self.lock = {}, [], {}, threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state = None

    def log_message(self, *_):
        pass

    def body(self):
        if "chunked" in self.headers.get("transfer-encoding", ""):
            raw = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return raw
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def handle_one(self):
        self.close_connection = True
        self.serve(self.body())

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = handle_one

    def reply(self, status, body, kind="application/json", headers=()):
        self.send_response(status)
        for name, value in [("content-type", kind), ("content-length", str(len(body))), ("connection", "close"), *headers]:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def parsed(raw, encoding):
    if encoding == "gzip":
        raw = zlib.decompress(raw, 47)
    try:
        return json.loads(raw)
    except ValueError:
        return None


class Recorder(Handler):
    def serve(self, raw):
        state, sent = self.state, {name.lower(): value for name, value in self.headers.items()}
        with state.lock:
            number = len(state.client) + 1
            record = state.client[number] = {"path": self.path, "headers": sent, "status": None, "answer": {}}
        record["body"] = parsed(raw, sent.get("content-encoding"))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection", "content-length", "transfer-encoding")}
        connection = http.client.HTTPConnection("127.0.0.1", state.gateway, timeout=300)
        connection.request(self.command, self.path, raw, {**headers, "x-wire-number": str(number), "content-length": str(len(raw))})
        answer = connection.getresponse()
        record["status"], record["answer"] = answer.status, {name.lower(): value for name, value in answer.getheaders()}
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("connection", "close")
        self.end_headers()
        try:
            while piece := answer.read1(65536):
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            record["gone"] = True


class Provider(Handler):
    def serve(self, raw):
        dialect = dialects.dialect_of(self.path) if self.command == "POST" else None
        if dialect is None:
            models = [{"id": "wire-model", "object": "model", "type": "model", "created": 1}]
            given = {"input_tokens": len(raw) // 4} if "count_tokens" in self.path else {"object": "list", "data": models}
            return self.reply(200, json.dumps(given).encode())
        state, headers = self.state, {name.lower(): value for name, value in self.headers.items()}
        body = parsed(raw, headers.get("content-encoding"))
        with state.lock:
            number = len(state.provider) + 1
            record = {"of": int(headers.get("x-wire-number", 0)), "path": self.path, "headers": headers, "body": body}
            state.provider.append(record)
            record["errors"] = dialects.errors_of(dialect, body, headers, state.window, state.known) if body else ["not JSON"]
            if record["errors"]:
                message = {"type": "invalid_request_error", "message": "; ".join(record["errors"])}
                return self.reply(400, json.dumps({"type": "error", "error": message}).encode())
            text, calls = "A title.", []
            fenced = FENCED in json.dumps(body)
            tools = {"bash": {"properties": {"command": {}}}} if fenced else dialects.tools_of(body)
            record["main"] = any(name in tools for name in SHELL)
            if record["main"]:
                text, calls = state.script.next(dialects.turns_of(dialect, body, state.known), tools, number)
            if fenced:
                text, calls = f"{text}\n```{FENCED}\n{calls[0][2]['command']}\n```", []
            whole, events = dialects.answer(dialect, body, number, text, calls, state.known)
        if not body.get("stream"):
            return self.reply(200, json.dumps(whole).encode())
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events:
            data = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode())
            self.wfile.flush()


def start(handler, state):
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (handler,), {"state": state}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
