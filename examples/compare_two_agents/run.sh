#!/usr/bin/env bash
# Is one agent better than another? The same competitions and seeds, then a test of the difference.
set -euo pipefail
agents=$(cd "$(dirname "$0")/../own_agent/agents" && pwd)
export MLEBENCH_DATA_DIR=data

runs() {    # the agents differ, and nothing else does
  mlebench run --agent "$1" --agents-dir "$agents" -c practice-wine -c practice-diabetes --prepare \
    --seeds 2 --workers 2 --time-limit 5m
  mlebench grade --run-group "$(newest "$1")"
}
newest() { ls -d runs/*_run-group_"$1" | tail -n 1; }    # the names of groups begin with the time

runs sample
runs nearest
mlebench aggregate "$(newest nearest)"
mlebench compare "$(newest nearest)" "$(newest sample)"
# It is better in both competitions, and that shows nothing yet: fewer than six can be luck. The benchmark has 75.
