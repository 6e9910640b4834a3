#!/usr/bin/env bash
# A real S3 server for tests: Ceph's object gateway with one monitor and one disk, all in one folder
# and on the loopback only. Works as any user.
#   scripts/s3_server.sh start FOLDER    starts it on free ports; writes FOLDER/s3.env, which sets
#                                        AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
#   scripts/s3_server.sh stop FOLDER     stops what start started there
set -euo pipefail

folder=$(realpath -m "${2:?usage: s3_server.sh start|stop FOLDER}")
conf=$folder/ceph.conf
access_key=GLINTTESTKEY
secret_key=glint/test+secret/0000000000000000000000

need() {
  for program in ceph-mon ceph-osd radosgw radosgw-admin ceph monmaptool ceph-authtool; do
    if ! command -v "$program" >/dev/null; then
      echo "s3_server.sh: $program is missing: apt-get install radosgw ceph-mon ceph-osd" >&2
      exit 77
    fi
  done
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

write_conf() {
  cat >"$conf" <<EOF
[global]
fsid = $1
mon_initial_members = a
mon_host = [v2:127.0.0.1:$2/0]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
keyring = $folder/keyring
run_dir = $folder/run
admin_socket = $folder/run/\$name.asok
pid_file = $folder/run/\$name.pid
log_file = $folder/log/\$name.log
crash_dir = $folder/crash
log_to_stderr = false
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 500
[mon.a]
mon_data = $folder/mon
[osd.0]
osd_data = $folder/osd
bluestore_block_size = 2147483648
bluestore_block_db_create = false
bluestore_block_wal_create = false
osd_memory_target = 939524096
bluestore_cache_size = 67108864
[client.rgw.a]
rgw_frontends = beast endpoint=127.0.0.1:$3
rgw_data = $folder/rgw
rgw_thread_pool_size = 32
rgw_enable_usage_log = false
EOF
}

make_keys() {
  ceph-authtool --create-keyring "$folder/keyring" --gen-key -n mon. --cap mon 'allow *'
  ceph-authtool "$folder/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *'
  ceph-authtool "$folder/keyring" --gen-key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
  ceph-authtool "$folder/keyring" --gen-key -n client.rgw.a --cap mon 'allow rw' --cap osd 'allow rwx'
}

start() {
  need
  trap stop EXIT  # what runs already, if a later step fails
  mkdir -p "$folder"/{mon,osd,run,log,crash}
  local id mon_port s3_port
  id=$(cat /proc/sys/kernel/random/uuid)
  mon_port=$(free_port)
  s3_port=$(free_port)
  write_conf "$id" "$mon_port" "$s3_port"
  make_keys >/dev/null
  monmaptool --create --clobber --fsid "$id" --addv a "[v2:127.0.0.1:$mon_port/0]" \
    "$folder/monmap" >/dev/null
  ceph-mon -c "$conf" --mkfs -i a --monmap "$folder/monmap" --keyring "$folder/keyring"
  ceph-mon -c "$conf" -i a
  local osd_id
  osd_id=$(cat /proc/sys/kernel/random/uuid)
  timeout 120 ceph -c "$conf" osd new "$osd_id" >/dev/null
  ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$osd_id" --keyring "$folder/keyring" 2>/dev/null
  ceph-osd -c "$conf" -i 0
  for _ in $(seq 120); do
    timeout 30 ceph -c "$conf" osd stat 2>/dev/null | grep -q '1 up' && break
    sleep 0.5
  done
  radosgw -c "$conf" -n client.rgw.a
  for _ in $(seq 240); do
    (exec 3<>"/dev/tcp/127.0.0.1/$s3_port") 2>/dev/null && break
    sleep 0.5
  done
  radosgw-admin -c "$conf" -n client.rgw.a user create --uid=glint --display-name=glint \
    --access-key="$access_key" --secret-key="$secret_key" >/dev/null
  printf 'AWS_ENDPOINT_URL=http://127.0.0.1:%s\nAWS_ACCESS_KEY_ID=%s\nAWS_SECRET_ACCESS_KEY=%s\n' \
    "$s3_port" "$access_key" "$secret_key" >"$folder/s3.env"
  trap - EXIT
}

stop() {
  for name in client.rgw.a osd.0 mon.a; do
    local pid_file=$folder/run/$name.pid
    [[ -s $pid_file ]] || continue
    local pid
    pid=$(<"$pid_file")
    # The number may be another process's by now: only one that was started on this folder is ours.
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$conf" || continue
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 100); do
      [[ -d /proc/$pid ]] && ! grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null || continue 2
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
  done
}

case "${1:-}" in
  start) start >&2 ;;
  stop) stop ;;
  *) echo "usage: s3_server.sh start|stop FOLDER" >&2; exit 2 ;;
esac
