#!/usr/bin/env bash
exec python3 "$AGENT_DIR/hand_in_sample.py"
