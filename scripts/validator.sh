#!/usr/bin/env bash
# Builds Agave's solana-test-validator into the user's cache and prints its path. Debian; 15-25 minutes, once.
set -euo pipefail
version=4.2.2
root=${XDG_CACHE_HOME:-$HOME/.cache}/gpu-market/agave-$version
binary=$root/bin/solana-test-validator
if [ ! -x "$binary" ]; then
  apt-get update -qq
  apt-get install -y -qq protobuf-compiler libclang-dev libudev-dev libssl-dev pkg-config cmake g++ >/dev/null
  target=$(mktemp -d)
  trap 'rm -rf "$target"' EXIT
  cargo install agave-validator --version "$version" --bin solana-test-validator --locked --ignore-rust-version \
    --quiet --root "$root" --target-dir "$target"
fi
echo "$binary"
