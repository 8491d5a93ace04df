#!/usr/bin/env bash
# Makes a small base image for Docker without a registry: Debian with python3, from debootstrap.
#
#   scripts/make_base_image.sh [NAME]      as root; NAME is mlebench-base:latest if not given
#
# The archive is kept in ~/.cache/mlebench and used again. MLEBENCH_DEBIAN_MIRROR names another mirror.
set -euo pipefail

name=${1:-mlebench-base:latest}
suite=bookworm
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mlebench
archive=$cache/base-2-$suite-$(dpkg --print-architecture).tar

if [ ! -s "$archive" ]; then
  command -v debootstrap > /dev/null || { echo "error: debootstrap is not installed: apt-get install debootstrap" >&2; exit 1; }
  mkdir -p "$cache"
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  debootstrap --variant=minbase --include=python3-minimal,python3-venv,ca-certificates,gettext-base \
    "$suite" "$root/tree" "${MLEBENCH_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
  rm -rf "$root"/tree/var/cache/apt/archives/*.deb "$root"/tree/var/lib/apt/lists/* \
    "$root"/tree/usr/share/{doc,man,locale,info}
  tar -C "$root/tree" -cf "$archive.partial" .
  mv "$archive.partial" "$archive"
fi
docker import --change 'CMD ["/bin/bash"]' "$archive" "$name"
