#!/usr/bin/env bash
# A PostgreSQL server, which the tests start and stop themselves. Where it cannot be installed those tests are skipped.
has_server() { command -v initdb >/dev/null 2>&1 || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }

has_server && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  # Only the programs: Debian would otherwise start a server of its own.
  echo "Installing postgresql with apt-get, for the tests of its sources and sinks."
  mkdir -p /etc/postgresql-common && [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  apt-get install -y -qq postgresql >/dev/null 2>&1 ||
    { apt-get update -qq >/dev/null 2>&1 && apt-get install -y -qq postgresql >/dev/null 2>&1; }
fi
has_server || echo "No PostgreSQL here: the tests of its sources and sinks will be skipped." \
  "On Debian and Ubuntu: sudo apt-get install postgresql" >&2
exit 0
