#!/usr/bin/env bash
# A fleet on one machine: a PostgreSQL server, an S3 server, two workers on the CPU that serve the tiers "free" and
# "premium", and one that serves "premium" only, whose scans are meant for GPUs. Draws short videos, submits them as a
# batch of each of two owners in both tiers, kills a worker in the middle (kill -9), and prints who worked, which scans
# ran elsewhere than they were meant to and why, and both batches' reports with their costs.
#   scripts/fleet_demo.sh [--glint GLINT] [--gpu PROGRAM|auto|cpu] [--videos 60] [--store s3|folder] [--keep] [FOLDER]
# --gpu cpu: no GPU; "premium" waits, and then runs on CPUs. --gpu auto (the default) takes a GPU of this machine, or the
# CUDA kernels built for its CPU that a build with tests and nvcc has (build/ci/tests/e2e/glint_on_host_cuda), which
# stand in for a GPU, slowly; where there is neither it is as cpu. --gpu PROGRAM: that program runs on cuda.
# --store folder needs no S3 server. Everything is in FOLDER, a temporary one without it, on the loopback only; --keep
# leaves it there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
glint=$here/build/release/src/cli/glint
gpu=auto
videos=60
store=s3
keep=
folder=
while [[ $# -gt 0 ]]; do
  case $1 in
    --glint) glint=$(realpath "$2"); shift 2 ;;
    --gpu) gpu=$2; shift 2 ;;
    --videos) videos=$2; shift 2 ;;
    --store) store=$2; shift 2 ;;
    --keep) keep=1; shift ;;
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "fleet_demo.sh: unknown argument '$1'" >&2; exit 2 ;;
    *) folder=$(realpath -m "$1"); shift ;;
  esac
done
if [[ ! -x $glint ]]; then
  echo "fleet_demo.sh: there is no $glint: scripts/build.sh release, or name one with --glint" >&2
  exit 1
fi
if ! "$glint" synth --help >/dev/null 2>&1; then
  echo "fleet_demo.sh: $glint cannot draw videos: it was built with -DGLINT_BENCH=OFF; scripts/build.sh release" >&2
  exit 1
fi
if ! [[ $videos =~ ^[0-9]+$ && $videos -ge 6 ]]; then
  echo "fleet_demo.sh: --videos is a number from 6 on, so that each owner has some in both tiers" >&2
  exit 2
fi
[[ $store == s3 || $store == folder ]] || { echo "fleet_demo.sh: --store is s3 or folder" >&2; exit 2; }
[[ -n $folder ]] || folder=$(mktemp -d -t glint-fleet-XXXXXX)
mkdir -p "$folder"

started=()
end() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  "$here/scripts/postgres_server.sh" stop "$folder/postgres" || true
  [[ $store == folder ]] || "$here/scripts/s3_server.sh" stop "$folder/s3" || true
  [[ -n $keep ]] && echo "fleet: everything is in $folder" || rm -rf "$folder"
}
trap end EXIT

# What runs the scans of "premium": the program, its --device, and what else it needs.
premium=("$glint" cpu)
host_cuda=$(dirname "$glint")/../../tests/e2e/glint_on_host_cuda
if [[ $gpu != auto && $gpu != cpu ]]; then
  premium=("$(realpath "$gpu")" cuda)
elif [[ $gpu == auto ]]; then
  if "$glint" doctor 2>/dev/null | grep -Eq '^device +cuda +ok'; then
    premium=("$glint" cuda)
  elif [[ -x $host_cuda ]]; then
    premium=("$(realpath "$host_cuda")" cuda --decoder "$(dirname "$glint")/glint-decode")
  else
    echo "fleet: there is no GPU, and no $host_cuda (a build with tests and nvcc has one): premium runs on CPUs"
  fi
fi

# start_worker NAME TIERS PROGRAM DEVICE [FLAG...]: a worker with a state folder of its own; ports[NAME] is where it answers
declare -A ports pids
start_worker() {
  PGAPPNAME=$1 GLINT_JOBS=$URL "$3" serve --json --listen 127.0.0.1:0 --tiers "$2" --device "$4" --lanes 1 \
    --threads 1 --downloads 1 --state "$folder/$1" --store "$place" --token-file "$folder/tokens" \
    --tier-device premium=cuda --spill-to-cpu 15s --allow-source "127.0.0.1:$web_port" "${@:5}" >"$folder/$1.said" 2>"$folder/$1.log" &
  pids[$1]=$!
  started+=("${pids[$1]}")
  # Its first look at a new S3 server may take a while: that makes its pools then.
  for _ in $(seq 600); do
    [[ ! -s $folder/$1.said && -d /proc/${pids[$1]} ]] || break
    sleep 0.1
  done
  if ! grep -q '"serving"' "$folder/$1.said"; then
    echo "fleet_demo.sh: worker $1 did not start:" >&2
    cat "$folder/$1.said" "$folder/$1.log" >&2
    exit 1
  fi
  ports[$1]=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["ports"][0])' "$folder/$1.said")
  echo "fleet: worker $1 serves $2 on 127.0.0.1:${ports[$1]}, device $4"
}

# as NAME WORKER ARGUMENT...: glint, as a client of that worker with the token of that name
as() {
  local token
  token=$(sed -n "s/^the $1 .* //p" "$folder/tokens")
  GLINT_TOKEN=$token GLINT_SERVER=127.0.0.1:${ports[$2]} "$glint" "${@:3}"
}

query() { psql -X -q "$URL" "$@"; }

echo "fleet: drawing $videos videos"
"$glint" synth --out "$folder/videos" --count "$videos" --size 320x180 --frames 30 --kind card >/dev/null
mapfile -t clips < <(cd "$folder/videos" && ls -- *.mp4)
: >"$folder/web.log"
python3 -u -m http.server --bind 127.0.0.1 --directory "$folder/videos" 0 >"$folder/web.log" 2>&1 &
started+=($!)
for _ in $(seq 100); do
  grep -q 'port [0-9]' "$folder/web.log" && break
  sleep 0.1
done
web_port=$(grep -o 'port [0-9]*' "$folder/web.log" | head -1 | cut -d' ' -f2)
(
  umask 077
  cat >"$folder/tokens" <<END
the ann owner=ann tiers=free,premium queued=1000 running=4 $(openssl rand -hex 16)
the bob owner=bob tiers=free,premium rights=submit,read,cancel frames-per-day=1000000 $(openssl rand -hex 16)
the operator rights=read,administer $(openssl rand -hex 16)
END
)

"$here/scripts/postgres_server.sh" start "$folder/postgres"
. "$folder/postgres/postgres.env"
echo "fleet: PostgreSQL at $URL"
place=$folder/results
if [[ $store == s3 ]]; then
  "$here/scripts/s3_server.sh" start "$folder/s3" 2>"$folder/s3.log" || { cat "$folder/s3.log" >&2; exit 1; }
  set -a
  . "$folder/s3/s3.env"
  set +a
  python3 "$here/tests/support/s3_client.py" "$folder/s3/s3.env" make scans
  place=s3://scans
  echo "fleet: S3 at $AWS_ENDPOINT_URL"
fi
start_worker one free,premium "$glint" cpu
start_worker two free,premium "$glint" cpu
start_worker premium premium "${premium[@]}"
echo
as operator one workers
echo

begun=$(date +%s)
# Two thirds are free and one is premium, half of each are ann's and bob's.
for owner in ann bob; do
  for tier in free premium; do
    for i in "${!clips[@]}"; do
      [[ $((i % 2)) == $([[ $owner == ann ]] && echo 0 || echo 1) ]] || continue
      [[ $((i / 2 % 3)) == 0 ]] && of=premium || of=free
      [[ $of != "$tier" ]] || echo "scan-$i http://127.0.0.1:$web_port/${clips[$i]}"
    done >"$folder/$owner.$tier"
    echo "fleet: $owner submits $(wc -l <"$folder/$owner.$tier") scans to $tier"
    as "$owner" one batch submit "$folder/$owner.$tier" --name may --tier "$tier" --profile classic
  done
done
echo "fleet: ann submits again, as after an interruption"
as ann two batch submit "$folder/ann.free" --name may --tier free --profile classic

# With a GPU, that worker is killed once it has made a scan: what it leaves runs on CPUs.
victim=one
if [[ ${premium[1]} == cuda ]]; then
  victim=premium
  for _ in $(seq 240); do
    [[ $(query -At -c "select count(*) from glint_jobs where state = 'succeeded' and device = 'cuda'") == 0 ]] || break
    sleep 0.25
  done
else
  sleep 2
fi
echo "fleet: kill -9 to worker $victim"
kill -9 "${pids[$victim]}"
wait "${pids[$victim]}" 2>/dev/null || true
for owner in ann bob; do as "$owner" two batch watch may >/dev/null 2>>"$folder/watch.log"; done
echo "fleet: done after $(($(date +%s) - begun)) s (a killed worker's lease takes 30 s to end)"
echo

query -c "select state, count(*) as scans, sum(attempts) as attempts, sum(ends) as ends from glint_jobs join (
  select scan_id, count(*) filter (where state in ('succeeded', 'failed', 'cancelled')) as ends from glint_events
  group by scan_id) as ended using (scan_id) group by state"
for name in one two premium; do
  echo "fleet: worker $name made $(grep -c 'scan succeeded' "$folder/$name.log" || true) scans"
done
spilled=$(query -At -c "select count(*) from glint_jobs where placed <> ''")
echo "fleet: $spilled scans ran elsewhere than their tier is meant to"
query -At -F ' ' -c "select distinct on (owner) owner, split_part(scan_id, '/', 2) from glint_jobs where placed <> ''" |
  while read -r owner id; do
    echo "  ${owner}'s $id ran on $(as "$owner" two get "$id" </dev/null | sed -n 's/^device  *//p')"
  done
for owner in ann bob; do
  echo
  as "$owner" two batch report may --price-per-hour cpu=0.05 --price-per-hour cuda=0.59
done
echo

succeeded=$(query -At -c "select count(*) from glint_jobs where state = 'succeeded'")
if [[ $store == s3 ]]; then
  published=$(python3 "$here/tests/support/s3_client.py" "$folder/s3/s3.env" list scans |
    grep -c '/report.json' || true)
else
  published=$(find "$folder/results" -name report.json | wc -l)
fi
if [[ $succeeded != "$videos" || $published != "$videos" ]]; then
  echo "fleet_demo.sh: $succeeded of $videos succeeded, $published results" >&2
  exit 1
fi
echo "fleet: all $videos ended once, each with its result"
