#!/usr/bin/env bash
# A real Supabase Storage server for tests: a checkout of github.com/supabase/storage, installed and
# built by its own means (npm install && node build.js && npx resolve-tspaths), on PostgreSQL and its
# file backend, all in one folder and on the loopback only. Works as any user.
#   scripts/supabase_server.sh start FOLDER CHECKOUT    starts it on free ports; writes FOLDER/supabase.env, which
#                                                       sets SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, and the
#                                                       anon key, an expired key and the version beside them
#   scripts/supabase_server.sh restart-storage FOLDER   starts the server again after it was killed
#   scripts/supabase_server.sh stop FOLDER              stops what start started there
set -euo pipefail

folder=$(realpath -m "${2:?usage: supabase_server.sh start FOLDER CHECKOUT | restart-storage FOLDER | stop FOLDER}")
jwt_secret=glint-test-secret-of-at-least-32-characters

need() {
  for program in node psql initdb postgres; do
    PATH=$PATH:$(echo /usr/lib/postgresql/*/bin) command -v "$program" >/dev/null && continue
    echo "supabase_server.sh: $program is missing: apt-get install nodejs postgresql" >&2
    exit 77
  done
  [[ -s $1/dist/start/server.js ]] && return
  echo "supabase_server.sh: $1 is not built: npm install && node build.js && npx resolve-tspaths" >&2
  exit 77
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# A JSON Web Token: token ROLE EXPIRY
token() {
  node -e '
    const { createHmac } = require("crypto")
    const text = (o) => Buffer.from(JSON.stringify(o)).toString("base64url")
    const [role, exp, secret] = process.argv.slice(1)
    const body = text({ alg: "HS256", typ: "JWT" }) + "." + text({ role, iss: "supabase", exp: Number(exp) })
    console.log(body + "." + createHmac("sha256", secret).update(body).digest("base64url"))' "$1" "$2" "$jwt_secret"
}

# PostgreSQL refuses to run as root: there it gets a namespace in which root is called 1000.
as_database_user() {
  if [[ $(id -u) != 0 ]]; then "$@"; else unshare --user --map-user=1000 --map-group=1000 "$@"; fi
}

start_database() {
  PATH=$PATH:$(echo /usr/lib/postgresql/*/bin)
  mkdir -p "$folder/pg"
  (cd / && as_database_user initdb -D "$folder/pg" -U postgres -A trust -E UTF8 --no-sync >"$folder/initdb.log")
  (cd / && exec setsid bash -c "$(declare -f as_database_user); as_database_user postgres -D '$folder/pg' \
    -c listen_addresses=127.0.0.1 -c port=$1 -c unix_socket_directories='' -c fsync=off" \
    >"$folder/pg.log" 2>&1 </dev/null) &
  for _ in $(seq 120); do
    psql -h 127.0.0.1 -p "$1" -U postgres -c 'select 1' >/dev/null 2>&1 && return
    sleep 0.25
  done
  echo "supabase_server.sh: PostgreSQL did not start: see $folder/pg.log" >&2
  exit 1
}

start_storage() {
  # shellcheck disable=SC1091
  . "$folder/server.sh"
  (cd "$checkout" && exec setsid env -i PATH="$PATH" HOME="$folder" NODE_ENV=production \
    SERVER_HOST=127.0.0.1 SERVER_PORT="$port" SERVER_ADMIN_PORT="$admin_port" SERVER_REGION=local \
    AUTH_JWT_SECRET="$jwt_secret" AUTH_JWT_ALGORITHM=HS256 DB_INSTALL_ROLES=true \
    DATABASE_URL="postgresql://postgres:postgres@127.0.0.1:$database_port/postgres" \
    STORAGE_BACKEND=file STORAGE_FILE_BACKEND_PATH="$folder/data" STORAGE_S3_BUCKET=glint STORAGE_S3_REGION=local \
    S3_PROTOCOL_ACCESS_KEY_ID=GLINTTESTKEY S3_PROTOCOL_ACCESS_KEY_SECRET=glint-test-secret \
    UPLOAD_FILE_SIZE_LIMIT=524288000 UPLOAD_FILE_SIZE_LIMIT_STANDARD=52428800 PG_QUEUE_ENABLE=false \
    IMAGE_TRANSFORMATION_ENABLED=false LOG_LEVEL=warn OTEL_METRICS_ENABLED=false PROMETHEUS_METRICS_ENABLED=false \
    node dist/start/server.js >>"$folder/storage.log" 2>&1 </dev/null) &
  echo $! >"$folder/storage.pid"
  for _ in $(seq 240); do
    curl -sf -o "$folder/status" "http://127.0.0.1:$port/status" && return
    [[ -d /proc/$(<"$folder/storage.pid") ]] || break
    sleep 0.25
  done
  echo "supabase_server.sh: the storage server did not start: see $folder/storage.log" >&2
  exit 1
}

start() {
  local checkout port admin_port database_port
  checkout=$(realpath "${1:?the checkout is missing}")
  need "$checkout"
  mkdir -p "$folder/data"
  port=$(free_port)
  admin_port=$(free_port)
  database_port=$(free_port)
  printf 'checkout=%q\nport=%s\nadmin_port=%s\ndatabase_port=%s\n' \
    "$checkout" "$port" "$admin_port" "$database_port" >"$folder/server.sh"
  start_database "$database_port"
  start_storage
  local later=$(($(date +%s) + 86400 * 365))
  {
    echo "SUPABASE_URL=http://127.0.0.1:$port"
    echo "SUPABASE_SERVICE_ROLE_KEY=$(token service_role $later)"
    echo "ANON_KEY=$(token anon $later)"
    echo "EXPIRED_KEY=$(token service_role 1000000000)"
    echo "VERSION=$(node -p "require('$checkout/package.json').version")"
  } >"$folder/supabase.env"
}

stop() {
  local pid
  if [[ -s $folder/storage.pid ]]; then
    pid=$(<"$folder/storage.pid")
    grep -qzF "HOME=$folder" "/proc/$pid/environ" 2>/dev/null && kill -9 "$pid"
  fi
  if [[ -s $folder/pg/postmaster.pid ]]; then
    pid=$(head -1 "$folder/pg/postmaster.pid")
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$folder/pg" && kill -INT "$pid"
    for _ in $(seq 100); do
      [[ -d /proc/$pid ]] || break
      sleep 0.1
    done
  fi
  return 0
}

case "${1:-}" in
  start) start "${3:-}" >&2 ;;
  restart-storage) start_storage >&2 ;;
  stop) stop ;;
  *) echo "usage: supabase_server.sh start FOLDER CHECKOUT | restart-storage FOLDER | stop FOLDER" >&2; exit 2 ;;
esac
