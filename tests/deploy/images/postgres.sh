#!/bin/sh
# Makes the database that POSTGRES_USER, POSTGRES_DB and POSTGRES_PASSWORD_FILE name, once, and serves it.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
data=/var/lib/postgresql/data
if [ ! -e "$data/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$data"
  install -o postgres -m 400 "$POSTGRES_PASSWORD_FILE" /tmp/password
  setpriv --reuid postgres --regid postgres --clear-groups initdb -D "$data" -U "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 --encoding UTF8 --locale C.UTF-8 >/dev/null
  echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | setpriv --reuid postgres --regid postgres --clear-groups postgres --single -D "$data" postgres >/dev/null
fi
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -D "$data" -c listen_addresses='*'
