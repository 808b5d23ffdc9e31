#!/usr/bin/env bash
# 500 sessions at once for two minutes, each of which grows past its window: no error, no lost edit, memory flat.
# usage: load.sh BIN_DIR   set: SESSIONS (500), SECONDS_LONG (120), PORT (18310 and up), STORE (a file in a temporary directory)
set -euo pipefail
bin=${1:?usage: load.sh BIN_DIR}; port=${PORT:-18310}
place=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$place"' EXIT
"$bin/gateway_load" upstream --listen "127.0.0.1:$port" --watch --events 20 --pace 100 & pids+=($!)
EPITOME_LOG=off "$bin/epitome" serve --listen "127.0.0.1:$((port + 1))" --upstream "http://127.0.0.1:$port" \
  --store "${STORE:-$place/epitome.db}" --context-length 16000 --set compression.protect_last_n=3 & pids+=($!)
until curl -sf -o /dev/null "http://127.0.0.1:$((port + 1))/readyz"; do kill -0 "${pids[1]}"; sleep 0.01; done
"$bin/gateway_load" sessions --url "http://127.0.0.1:$((port + 1))" --pid "${pids[1]}" \
  --sessions "${SESSIONS:-500}" --seconds "${SECONDS_LONG:-120}"
curl -s "http://127.0.0.1:$((port + 1))/metrics" | grep -E '^epitome_(compactions|store_errors|panics|untouched)' | grep -v ' 0$' || true
