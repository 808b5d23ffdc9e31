#!/usr/bin/env python3
"""A worker of the benchmark that is always given the same number: with_target.py NUMBER COMMAND...

For workers whose number is a window size and not a size to reach: asked for nothing (`worker-natural`), they would
take their own default.
"""
import json
import subprocess
import sys

worker = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin:
    request = {**json.loads(line), "target": int(sys.argv[1])}
    worker.stdin.write(json.dumps(request).encode() + b"\n")
    worker.stdin.flush()
    sys.stdout.write(worker.stdout.readline().decode())
    sys.stdout.flush()
worker.stdin.close()
sys.exit(worker.wait(30))
