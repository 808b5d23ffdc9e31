#!/usr/bin/env bash
# What gateways cost: direct, two minimal proxies, and the gateways given, in turns, on loopback.
# usage: run.sh BIN_DIR [name=command…]   {listen}, {port} and {upstream} in a command are filled in.
# e.g.   run.sh target/dist 'epitome=target/dist/epitome serve --listen {listen} --upstream {upstream} --store memory'
# set:   REQUESTS (2000), ROUNDS (3), KILOBYTES (200), MESSAGES (200), PORT (18300 and up), MODES
set -euo pipefail
bin=${1:?usage: run.sh BIN_DIR [name=command…]}/gateway_load; shift
requests=${REQUESTS:-2000} rounds=${ROUNDS:-3} port=${PORT:-18300}
size="--kilobytes ${KILOBYTES:-200} --messages ${MESSAGES:-200}"
modes=${MODES:---concurrency 1;--concurrency 16;--concurrency 1 --stream}
upstream=http://127.0.0.1:$port
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT
"$bin" upstream --listen "127.0.0.1:$port" & pids+=($!)
names=(direct minimal minimal-edit) urls=("$upstream") of=("")
start() { # command…
  port=$((port + 1))
  local command=${1//\{listen\}/127.0.0.1:$port}
  command=${command//\{port\}/$port}
  command=${command//\{upstream\}/$upstream}
  local began; began=$(date +%s%N)
  $command >&2 & pids+=($!); of+=($!); urls+=("http://127.0.0.1:$port")
  until curl -s -o /dev/null "http://127.0.0.1:$port/healthz"; do kill -0 "${pids[-1]}"; sleep 0.005; done
  echo "{\"started\": \"${command%% *}\", \"cold_start_ms\": $(( ($(date +%s%N) - began) / 1000000 ))," \
    "\"idle_mb\": $(awk '/VmRSS/ {print int($2 / 1024)}' "/proc/${pids[-1]}/status")}"
}
start "$bin proxy --listen {listen} --upstream {upstream}"
start "$bin proxy --edit --listen {listen} --upstream {upstream}"
for given in "$@"; do names+=("${given%%=*}"); start "${given#*=}"; done
for ((round = 1; round <= rounds; round++)); do
  while IFS= read -r mode; do
    for at in "${!names[@]}"; do
      pid=${of[$at]:+--pid ${of[$at]}}
      # The slow ones are asked less often: their CPU time is easily told.
      count=$requests; [[ ${names[$at]} != slow-* ]] || count=$((requests / 10))
      # shellcheck disable=SC2086 # options are words
      "$bin" load --name "${names[$at]}" --url "${urls[$at]}" $pid $mode $size --requests "$count"
    done
  done < <(tr ';' '\n' <<< "$modes")
done
