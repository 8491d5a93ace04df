#!/usr/bin/env bash
# Installs what an agent's manifest asks for, as root, while its image is built. The files beside this one say what:
# see the Dockerfile. Python packages replace the environment `agent`, so that conda's commands find them, too.
set -euo pipefail
cd "$(dirname "$0")"
environment=/opt/conda/envs/agent
export DEBIAN_FRONTEND=noninteractive

fail() { echo "error: $*" >&2 && exit 1; }

install_programs() {
  local missing=() packages=() name
  for name in "$@"; do
    command -v "$name" > /dev/null && continue
    missing+=("$name")
    case $name in node) packages+=(nodejs) ;; *) packages+=("$name") ;; esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  { apt-get update -qq && apt-get install -qq -y --no-install-recommends "${packages[@]}"; } > /dev/null ||
    fail "apt-get cannot install ${missing[*]} in the image"
  rm -rf /var/lib/apt/lists/*
  for name in "${missing[@]}"; do
    command -v "$name" > /dev/null || fail "The image has no program $name, and no package of that name brings it"
  done
}

# Makes the environment with the Python that is asked for, and sets `installer`.
make_environment() {
  local wanted base
  wanted=$(cat python.txt 2> /dev/null || true)
  base=$(python3 -c 'import sys; print(sys._base_executable)')
  python3 -m pip install --quiet --no-cache-dir --retries 1 --target /tmp/uv uv > /dev/null 2>&1 || true
  if [ -x /tmp/uv/bin/uv ]; then
    export UV_NO_CACHE=1 UV_LINK_MODE=copy UV_PYTHON_INSTALL_DIR=/opt/mlebench-agent/python
    /tmp/uv/bin/uv venv --quiet --no-project --clear --python "${wanted:-$base}" "$environment"
    installer=(/tmp/uv/bin/uv pip install --quiet --compile-bytecode --python "$environment/bin/python")
  else
    [ -z "$wanted" ] || fail "The agent needs Python $wanted, and uv, which finds or fetches it, cannot be installed"
    "$base" -m venv --clear "$environment"
    installer=("$environment/bin/python" -m pip install --quiet --no-cache-dir --no-input)
  fi
}

if [ -f programs.txt ]; then
  mapfile -t programs < programs.txt
  install_programs "${programs[@]}"
fi
if [ -f python.txt ] || [ -f requirements.txt ] || [ -f without_dependencies.txt ]; then
  make_environment
  [ ! -f requirements.txt ] || "${installer[@]}" -r requirements.txt
  [ ! -f without_dependencies.txt ] || "${installer[@]}" --no-deps -r without_dependencies.txt
  rm -rf /tmp/uv
fi
if [ -f package.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
  for program in node_modules/.bin/*; do
    [ -e "$environment/bin/$(basename "$program")" ] || ln -s "$PWD/$program" "$environment/bin/"
  done
fi
