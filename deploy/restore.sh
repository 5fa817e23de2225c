#!/bin/sh
# Puts a backup into an empty database; stop the indexer first: restore.sh FILE DATABASE_URL
set -eu
[ $# -eq 2 ] || { echo "usage: restore.sh FILE DATABASE_URL" >&2; exit 2; }
case "$2" in
  sqlite:///*)
    target=${2#sqlite:///}
    [ ! -e "$target" ] || { echo "$target is there already: move it away" >&2; exit 1; }
    rm -f "$target-wal" "$target-shm"
    cp "$1" "$target.new"
    mv "$target.new" "$target"
    ;;
  postgresql*) pg_restore --exit-on-error --single-transaction --no-owner --dbname="postgresql://${2#*://}" "$1" ;;
  *) echo "not a database of an indexer: use a sqlite:/// or postgresql URL" >&2; exit 2 ;;
esac
