#!/usr/bin/env bash
# Installs a Debian package of glint in a bare Debian 12 and scans a video there. As root; some minutes,
# most of them spent on fetching Debian; CI does not run it.
#   scripts/deb_test.sh PACKAGE.deb VIDEO [ROOT-FOLDER]     ROOT-FOLDER: of an earlier run, to use again
set -euo pipefail
if [[ $# -lt 2 || $(id -u) -ne 0 ]]; then
  sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
package=$(realpath "$1") video=$(realpath "$2") root=${3:-}
mirror=${MIRROR:-http://deb.debian.org/debian}
if [[ -z $root ]]; then
  root=$(mktemp -d)
  trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
else
  trap 'umount "$root/proc" 2>/dev/null || true' EXIT
fi
[[ -x $root/bin/sh ]] || debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
mount -t proc proc "$root/proc" 2>/dev/null || echo "deb_test: no /proc in it" >&2
cp /etc/resolv.conf "$root/etc/resolv.conf"
install -m 644 "$package" "$root/tmp/glint.deb"
install -m 644 "$video" "$root/tmp/video.mp4"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

inside apt-get -q update >/dev/null
inside apt-get -q -y install --no-install-recommends /tmp/glint.deb >"$root/tmp/apt.log" ||
  { tail -20 "$root/tmp/apt.log" >&2; exit 1; }
inside glint --version
for file in /lib/systemd/system/glint.service /usr/share/man/man1/glint.1.gz /usr/share/doc/glint/copyright \
  /usr/share/bash-completion/completions/glint /usr/share/zsh/vendor-completions/_glint \
  /usr/share/fish/vendor_completions.d/glint.fish /usr/libexec/glint/glint-decode; do
  [[ -e $root$file || -e $root${file%.gz} ]] || { echo "deb_test: $file is missing" >&2; exit 1; }
done
inside getent passwd glint >/dev/null
[[ $(inside stat -c '%U %G %a' /etc/glint) == 'root glint 750' ]]
# The sandbox wants namespaces, which a chroot in a container may not give.
inside sh -c 'cd /tmp && glint scan video.mp4 --decode-sandbox auto'
[[ -s $root/tmp/glint-out/video/report.html ]]
# The service as the unit starts it, without systemd.
inside sh -c 'cd /var/lib/glint && echo token-of-the-test > /etc/glint/tokens &&
  GLINT_STATE=state GLINT_STORE=results GLINT_TOKEN_FILE=/etc/glint/tokens glint serve --decode-sandbox auto & server=$!
  for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; glint healthcheck && break; done; result=$?; kill $server; exit $result'
inside apt-get -q -y remove glint >/dev/null
[[ ! -e $root/usr/bin/glint ]]
echo "the package installs, scans, serves and goes"
