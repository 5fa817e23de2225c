#!/bin/sh
# Puts keys back where they were, with their owners and modes: restore-keys.sh FILE   Nothing that is there is replaced.
set -eu
[ $# -eq 1 ] || { echo "usage: restore-keys.sh FILE" >&2; exit 2; }
tar --list --absolute-names --file="$1" | while read -r path; do
  [ -d "$path" ] || [ ! -e "$path" ] || { echo "$path is there already: move it away" >&2; exit 1; }
done
tar --extract --absolute-names --skip-old-files --same-owner --same-permissions --file="$1"
