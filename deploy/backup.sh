#!/bin/sh
# Saves an indexer's database while it runs: backup.sh DATABASE_URL FILE
set -eu
[ $# -eq 2 ] || { echo "usage: backup.sh DATABASE_URL FILE" >&2; exit 2; }
case "$1" in
  sqlite:///*)
    python3 - "${1#sqlite:///}" "$2.new" <<'PYTHON'
import sqlite3
import sys

with sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True) as source, sqlite3.connect(sys.argv[2]) as target:
    source.backup(target)
PYTHON
    ;;
  postgresql*) pg_dump --format=custom --no-owner --file="$2.new" "postgresql://${1#*://}" ;;
  *) echo "not a database of an indexer: use a sqlite:/// or postgresql URL" >&2; exit 2 ;;
esac
mv "$2.new" "$2"
