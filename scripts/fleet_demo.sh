#!/usr/bin/env bash
# A fleet on one machine: a PostgreSQL server, two workers on the CPU with a state folder each, and one folder for their
# results. Draws short videos, submits them to one worker and the other in turn, kills one worker in the middle
# (kill -9), watches one scan at a worker that does not run it, and prints who made what.
#   scripts/fleet_demo.sh [--glint GLINT] [--videos 20] [--keep] [FOLDER]
# Everything is in FOLDER, a temporary one without it, on the loopback only; --keep leaves it there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
glint=$here/build/release/src/cli/glint
videos=20
keep=
folder=
while [[ $# -gt 0 ]]; do
  case $1 in
    --glint) glint=$(realpath "$2"); shift 2 ;;
    --videos) videos=$2; shift 2 ;;
    --keep) keep=1; shift ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "fleet_demo.sh: unknown argument '$1'" >&2; exit 2 ;;
    *) folder=$(realpath -m "$1"); shift ;;
  esac
done
if [[ ! -x $glint ]]; then
  echo "fleet_demo.sh: there is no $glint: scripts/build.sh release, or name one with --glint" >&2
  exit 1
fi
[[ -n $folder ]] || folder=$(mktemp -d -t glint-fleet-XXXXXX)
mkdir -p "$folder"

started=()
end() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  "$here/scripts/postgres_server.sh" stop "$folder/postgres" || true
  [[ -n $keep ]] && echo "fleet: everything is in $folder" || rm -rf "$folder"
}
trap end EXIT

# start_worker NAME: a worker with a state folder of its own; ports[NAME] is where it answers
declare -A ports pids
start_worker() {
  PGAPPNAME=$1 GLINT_JOBS=$URL "$glint" serve --json --listen 127.0.0.1:0 --device cpu --lanes 1 --threads 1 \
    --downloads 1 --state "$folder/$1" --store "$folder/results" --allow-source "127.0.0.1:$web_port" \
    >"$folder/$1.ports" 2>"$folder/$1.log" &
  pids[$1]=$!
  started+=("${pids[$1]}")
  for _ in $(seq 200); do
    [[ -s $folder/$1.ports ]] && break
    sleep 0.1
  done
  ports[$1]=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["ports"][0])' "$folder/$1.ports")
  echo "fleet: worker $1 serves on 127.0.0.1:${ports[$1]}"
}

echo "fleet: drawing $videos videos"
"$glint" synth --out "$folder/videos" --count "$videos" --size 320x180 --frames 45 --kind card >/dev/null
mapfile -t clips < <(cd "$folder/videos" && ls -- *.mp4)
: >"$folder/web.log"
python3 -u -m http.server --bind 127.0.0.1 --directory "$folder/videos" 0 >"$folder/web.log" 2>&1 &
started+=($!)
for _ in $(seq 100); do
  grep -q 'port [0-9]' "$folder/web.log" && break
  sleep 0.1
done
web_port=$(grep -o 'port [0-9]*' "$folder/web.log" | head -1 | cut -d' ' -f2)

"$here/scripts/postgres_server.sh" start "$folder/postgres"
. "$folder/postgres/postgres.env"
echo "fleet: PostgreSQL at $URL"
start_worker one
start_worker two
begun=$(date +%s)
names=(one two)
for i in "${!clips[@]}"; do
  "$glint" submit "http://127.0.0.1:$web_port/${clips[$i]}" --id "scan-$i" --profile classic \
    --server "127.0.0.1:${ports[${names[$((i % 2))]}]}" >/dev/null
done
echo "fleet: $videos scans submitted, to one worker and the other in turn; watching the first at worker two"
"$glint" watch scan-0 --server "127.0.0.1:${ports[two]}" | tail -1
echo "fleet: kill -9 to worker one, and a third worker"
kill -9 "${pids[one]}"
wait "${pids[one]}" 2>/dev/null || true
start_worker three
query() { psql -X -q "$URL" "$@"; }
for _ in $(seq 1200); do
  left=$(query -At -c "select count(*) from glint_jobs where state in ('queued', 'running')")
  [[ $left == 0 ]] && break
  sleep 0.25
done
echo "fleet: done after $(($(date +%s) - begun)) s (a killed worker's lease takes 30 s to end)"
query -c "select state, count(*) as scans, sum(attempts) as attempts, sum(ends) as ends from glint_jobs join (
  select scan_id, count(*) filter (where state in ('succeeded', 'failed', 'cancelled')) as ends from glint_events
  group by scan_id) as ended using (scan_id) group by state"
for name in one two three; do
  echo "fleet: worker $name made $(grep -c 'scan succeeded' "$folder/$name.log" || true) scans"
done
"$glint" list --state succeeded --server "127.0.0.1:${ports[three]}" | head -4
published=$(find "$folder/results" -name report.json | wc -l)
[[ $left == 0 && $published == "$videos" ]] || { echo "fleet: $published of $videos results" >&2; exit 1; }
