#!/usr/bin/env bash
exec python3 "$AGENT_DIR/mlab.py" "$@"
