#!/usr/bin/env bash
# What a gateway costs: direct, two minimal proxies, and the gateways given, in turns, on loopback with a body of 200 KB.
# usage: run.sh BIN_DIR [name=command…]   {listen} and {upstream} in a command are filled in.
# e.g.   run.sh target/release 'passthrough=target/release/examples/passthrough --listen {listen} --upstream {upstream}'
set -euo pipefail
bin=${1:?usage: run.sh BIN_DIR [name=command…]}/gateway_load; shift
requests=${REQUESTS:-2000} rounds=${ROUNDS:-3} port=${PORT:-18300}
upstream=http://127.0.0.1:$port
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT
"$bin" upstream --listen "127.0.0.1:$port" & pids+=($!)
names=(direct minimal minimal-edit) urls=("$upstream") of=("")
start() { # command…
  port=$((port + 1))
  local command=${1//\{listen\}/127.0.0.1:$port}
  command=${command//\{upstream\}/$upstream}
  $command & pids+=($!); of+=($!); urls+=("http://127.0.0.1:$port")
}
start "$bin proxy --listen {listen} --upstream {upstream}"
start "$bin proxy --edit --listen {listen} --upstream {upstream}"
for given in "$@"; do names+=("${given%%=*}"); start "${given#*=}"; done
for url in "${urls[@]}"; do
  until curl -s -o /dev/null "$url/"; do kill -0 "${pids[@]}"; done
done
for ((round = 1; round <= rounds; round++)); do
  for mode in "--concurrency 1" "--concurrency 16" "--concurrency 1 --stream"; do
    for at in "${!names[@]}"; do
      pid=${of[$at]:+--pid ${of[$at]}}
      # shellcheck disable=SC2086 # options are words
      printf '%-14s ' "${names[$at]}"; "$bin" load --url "${urls[$at]}" $pid $mode --requests "$requests"
    done
  done
done
