#!/usr/bin/env bash
# Real agents through `epitome wrap`: the kit's own scripts drive them at the stub, and what they start in place of an agent is
# `epitome wrap AGENT -- …`. So each agent has its own settings for the stub, and wrap has to find and to replace them.
# usage: wrap.sh BIN_DIR KIT_DIR OUT_DIR [client…]   with CLIENTS_DIR set. set: WINDOW (64000), PORT (18340), AIDER_DIR, BIG (400 lines of output, as the kit has it)
set -euo pipefail
bin=$(cd "${1:?usage: wrap.sh BIN_DIR KIT_DIR OUT_DIR [client…]}" && pwd) kit=${2:?KIT_DIR}
mkdir -p "${3:?OUT_DIR}"; out=$(cd "$3" && pwd); shift 3
[ $# -gt 0 ] || set -- claude codex opencode hermes
port=${PORT:-18340} real=$(cd "${CLIENTS_DIR:?}" && pwd)
rm -rf "${out:?}"/{clients,saved,runs,stub}; mkdir -p "$out"/{clients/npm/node_modules/.bin,saved}
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT
"$kit/stub.py" --port "$port" --record "$out/stub" > "$out/stub.log" 2>&1 & pids+=($!)
stand_in() { # agent, place in the kit's directory, the directory of the real one
  mkdir -p "$(dirname "$out/clients/$2")"
  cat > "$out/clients/$2" <<SH
#!/bin/bash
export PATH=$3:\$PATH
exec 3>>"$out/saved/\$LABEL.json"
"$bin/epitome" wrap --store "$out/store-\$LABEL.db" --context-length ${WINDOW:-64000} --set compression.protect_last_n=1 \\
  --log "$out/saved/\$LABEL.log" --json $1 -- "\$@" 2> >(tee >(grep '^{"calls"' >&3) >&2)
SH
  chmod +x "$out/clients/$2"
}
for agent in claude codex opencode; do stand_in $agent "npm/node_modules/.bin/$agent" "$real/npm/node_modules/.bin"; done
stand_in hermes venvs/hermes/bin/hermes "$real/venvs/hermes/bin"
[ -z "${AIDER_DIR:-}" ] || stand_in aider venvs/aider/bin/aider "$AIDER_DIR"
until curl -s -o /dev/null "http://127.0.0.1:$port/__stub/state"; do kill -0 "${pids[0]}"; sleep 0.05; done
curl -s -X POST "http://127.0.0.1:$port/__stub/opt?big=${BIG:-400}" > /dev/null
CLIENTS_DIR=$out/clients STUB_URL=http://127.0.0.1:$port RUNS_DIR=$out/runs "$kit/run_all.sh" "http://127.0.0.1:$port" "$@" || clients=failed
sleep 0.2
for saved in "$out"/saved/*.json; do echo "$(basename "$saved" .json) $(tr '\n' ' ' < "$saved")"; done
[ -z "${clients:-}" ]
