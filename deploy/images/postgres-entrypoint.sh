#!/bin/sh
# Creates the cluster in PGDATA at the container's first start, with POSTGRES_PASSWORD for the user postgres, then runs the command.
# POSTGRES_HOST_AUTH_METHOD says how clients prove that they know a password, as with the official image.
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  printf '%s\n' "${POSTGRES_PASSWORD:?must be set}" >/tmp/password
  initdb --pgdata="$PGDATA" --username=postgres --pwfile=/tmp/password \
    --auth=scram-sha-256 --encoding=UTF8 --locale=C
  rm /tmp/password
  echo "host all all all ${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}" >>"$PGDATA/pg_hba.conf"
fi
unset POSTGRES_PASSWORD POSTGRES_HOST_AUTH_METHOD
exec "$@"
