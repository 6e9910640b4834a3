#!/usr/bin/env bash
# A real PostgreSQL server for tests and trials: a cluster of its own in one folder, on the loopback
# only, where everybody on this machine may log in. Works as any user.
#   scripts/postgres_server.sh start FOLDER    starts it on a free port; writes FOLDER/postgres.env, which sets PGHOST,
#                                              PGPORT, and URL of the database "postgres" for the role "glint"
#   scripts/postgres_server.sh kill FOLDER     kill -9 to all of its processes
#   scripts/postgres_server.sh restart FOLDER  starts it again, on the same port
#   scripts/postgres_server.sh bouncer FOLDER  starts a PgBouncer in transaction mode before it, with two connections for
#                                              each database; adds BOUNCER_PORT to FOLDER/postgres.env
#   scripts/postgres_server.sh stop FOLDER     stops what was started there
# POSTGRES_SETTINGS has further settings, as "-c name=value"; by default it does not wait for the disk (fsync=off).
set -euo pipefail

usage() {
  echo "usage: postgres_server.sh start|kill|restart|bouncer|stop FOLDER" >&2
  exit 2
}

[[ $# -ge 2 ]] || usage
folder=$(realpath -m "$2")

need() {
  local program
  PATH=$PATH:$(echo /usr/lib/postgresql/*/bin)
  for program in initdb postgres psql; do
    command -v "$program" >/dev/null && continue
    echo "postgres_server.sh: $program is missing: apt-get install postgresql" >&2
    exit 77
  done
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# PostgreSQL refuses to run as root: there it gets a namespace in which root is called 1000.
as_database_user() {
  if [[ $(id -u) != 0 ]]; then "$@"; else unshare --user --map-user=1000 --map-group=1000 "$@"; fi
}

# The process of the server itself; nothing when it does not run.
postmaster() {
  local pid
  [[ -s $folder/pg/postmaster.pid ]] || return 0
  pid=$(head -1 "$folder/pg/postmaster.pid")
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "-D $folder/pg" && echo "$pid" || true
}

run_server() {
  local port
  need
  . "$folder/postgres.env"
  port=$PGPORT
  (cd / && exec setsid bash -c "$(declare -f as_database_user); as_database_user postgres -D '$folder/pg' \
    -c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories='' -c fsync=off ${POSTGRES_SETTINGS:-}" \
    >>"$folder/pg.log" 2>&1 </dev/null) &
  for _ in $(seq 240); do
    psql -X -q -h 127.0.0.1 -p "$port" -U postgres -c 'select 1' >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "postgres_server.sh: PostgreSQL did not start: see $folder/pg.log" >&2
  exit 1
}

start() {
  local port
  need
  mkdir -p "$folder/pg"
  port=$(free_port)
  (cd / && as_database_user initdb -D "$folder/pg" -U postgres -A trust -E UTF8 --locale=C --no-sync \
    >"$folder/initdb.log" 2>&1) || { cat "$folder/initdb.log" >&2; exit 1; }
  printf 'PGHOST=127.0.0.1\nPGPORT=%s\nURL=postgresql://glint@127.0.0.1:%s/postgres\n' "$port" "$port" \
    >"$folder/postgres.env"
  run_server
  psql -X -q -h 127.0.0.1 -p "$port" -U postgres -c 'create role glint login createdb' \
    -c 'grant create, usage on schema public to glint'
}

kill_server() {
  local pid
  pid=$(postmaster)
  [[ -n $pid ]] || return 0
  # It leads a session of its own, and what it forked has its process group.
  kill -9 "$pid"
  while [[ -d /proc/$pid ]]; do sleep 0.02; done
  rm -f "$folder/pg/postmaster.pid"
}

bouncer() {
  local port
  PATH=$PATH:/usr/sbin
  if ! command -v pgbouncer >/dev/null; then
    echo "postgres_server.sh: pgbouncer is missing: apt-get install pgbouncer" >&2
    exit 77
  fi
  . "$folder/postgres.env"
  port=$(free_port)
  cat >"$folder/pgbouncer.ini" <<END
[databases]
* = host=127.0.0.1 port=$PGPORT user=glint
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 500
pidfile = $folder/pgbouncer.pid
END
  (cd / && exec setsid bash -c "$(declare -f as_database_user); as_database_user pgbouncer '$folder/pgbouncer.ini'" \
    >>"$folder/pgbouncer.log" 2>&1 </dev/null) &
  for _ in $(seq 100); do
    if psql -X -q -h 127.0.0.1 -p "$port" -U glint postgres -c 'select 1' >/dev/null 2>&1; then
      echo "BOUNCER_PORT=$port" >>"$folder/postgres.env"
      return
    fi
    sleep 0.1
  done
  echo "postgres_server.sh: PgBouncer did not start: see $folder/pgbouncer.log" >&2
  exit 1
}

stop() {
  local pid
  if [[ -s $folder/pgbouncer.pid ]]; then
    pid=$(<"$folder/pgbouncer.pid")
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$folder/pgbouncer.ini" && kill "$pid"
  fi
  pid=$(postmaster)
  [[ -n $pid ]] || return 0
  kill -INT "$pid"
  for _ in $(seq 100); do
    [[ -d /proc/$pid ]] || return 0
    sleep 0.1
  done
}

case $1 in
  start) start >&2 ;;
  kill) kill_server ;;
  restart) run_server >&2 ;;
  bouncer) need && bouncer >&2 ;;
  stop) stop ;;
  *) usage ;;
esac
