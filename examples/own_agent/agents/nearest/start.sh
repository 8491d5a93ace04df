#!/usr/bin/env bash
# Started in the agent's home, with the arguments of config.yaml. This folder is at $AGENT_DIR.
set -euo pipefail
cp "$AGENT_DIR/solve.py" "$CODE_DIR/"
python3 "$AGENT_DIR/solve.py" "$@" 2>&1 | tee "$LOGS_DIR/solve.log"
