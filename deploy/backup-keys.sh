#!/bin/sh
# Saves keys and what else is only in files: backup-keys.sh FILE PATH...   Whoever has FILE has the keys.
set -eu
[ $# -ge 2 ] || { echo "usage: backup-keys.sh FILE PATH..." >&2; exit 2; }
file=$1
shift
for path in "$@"; do
  case "$path" in
    /*) ;;
    *) echo "$path is not absolute: it could not be put back" >&2; exit 2 ;;
  esac
done
umask 077
trap 'rm -f "$file.new"' EXIT
tar --create --absolute-names --file="$file.new" -- "$@"
mv "$file.new" "$file"
