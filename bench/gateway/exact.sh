#!/usr/bin/env bash
# Whether a gateway that has nothing to do changes anything: real clients → recorder → gateway → recorder → stub, and what the two
# recorders saw is compared byte for byte.
# usage: exact.sh BIN_DIR KIT_DIR OUT_DIR [client…]   with CLIENTS_DIR set; see the kit's README
# set:   GATEWAY (options of `epitome serve`; nothing compacted and nothing marked), PORT (18320 and up)
set -euo pipefail
bin=${1:?usage: exact.sh BIN_DIR KIT_DIR OUT_DIR [client…]} kit=${2:?KIT_DIR} out=${3:?OUT_DIR}; shift 3
port=${PORT:-18320}
mkdir -p "$out"; rm -rf "${out:?}"/{before,behind,stub,runs}
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT
"$kit/stub.py" --port "$port" --record "$out/stub" > "$out/stub.log" 2>&1 & pids+=($!)
"$bin/gateway_load" recorder --listen "127.0.0.1:$((port + 1))" --upstream "http://127.0.0.1:$port" --into "$out/behind" & pids+=($!)
# shellcheck disable=SC2086 # options are words
EPITOME_LOG=off "$bin/epitome" serve --listen "127.0.0.1:$((port + 2))" --upstream "http://127.0.0.1:$((port + 1))" --store memory \
  ${GATEWAY:---set compression.enabled=false --set prompt_caching.strategy=client} & pids+=($!)
"$bin/gateway_load" recorder --listen "127.0.0.1:$((port + 3))" --upstream "http://127.0.0.1:$((port + 2))" --into "$out/before" & pids+=($!)
for at in 0 1 2 3; do
  until curl -s -o /dev/null "http://127.0.0.1:$((port + at))/healthz"; do kill -0 "${pids[$at]}"; sleep 0.05; done
done
rm -rf "${out:?}"/{before,behind}/*
STUB_URL=http://127.0.0.1:$port RUNS_DIR=$out/runs "$kit/run_all.sh" "http://127.0.0.1:$((port + 3))" "$@" || clients=failed
"$bin/gateway_load" compare "$out/before" "$out/behind"
[ -z "${clients:-}" ]
