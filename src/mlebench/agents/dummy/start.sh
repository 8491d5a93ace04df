#!/usr/bin/env bash
python3 "$AGENT_DIR/hand_in_sample.py" || exit 2
exec python3 "$AGENT_DIR/check_promises.py"
