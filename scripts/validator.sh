#!/usr/bin/env bash
# Builds Agave's solana-test-validator into the user's cache and prints its path. Debian; 15-25 minutes, once for each
# AGAVE_VERSION: 4.2.2 (default), or 4.4.0, which takes 25-50.
set -euo pipefail
version=${AGAVE_VERSION:-4.2.2}
root=${XDG_CACHE_HOME:-$HOME/.cache}/gpu-market/agave-$version
binary=$root/bin/solana-test-validator
install=(--bin solana-test-validator --quiet --locked --root "$root")
if [ ! -x "$binary" ]; then
  apt-get update -qq
  apt-get install -y -qq protobuf-compiler libclang-dev libudev-dev libssl-dev pkg-config cmake g++ >/dev/null
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  case $version in
    4.2.2)
      cargo install agave-validator --version "$version" --ignore-rust-version --target-dir "$work" "${install[@]}"
      ;;
    4.4.0)
      rust=1.98.1
      rustup toolchain install "$rust" --profile minimal >/dev/null
      for crate in agave-validator solana-ledger; do
        cargo "+$rust" info --quiet "$crate@$version" >/dev/null # fetches its source
        cp -r "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$crate-$version" "$work/$crate"
      done
      python3 "$(dirname "$0")/agave_ledger.py" "$work/solana-ledger" "$work/agave-validator/Cargo.lock"
      cargo "+$rust" install --path "$work/agave-validator" --target-dir "$work/target" "${install[@]}" \
        --config "patch.crates-io.solana-ledger.path='$work/solana-ledger'"
      ;;
    *)
      echo "AGAVE_VERSION is 4.2.2 or 4.4.0, not $version" >&2
      exit 1
      ;;
  esac
fi
echo "$binary"
