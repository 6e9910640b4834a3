#!/usr/bin/env bash
# Collects what a program needs at run time, besides libc: the libraries it is linked with, a list of
# the Debian packages and versions that they come from, and those packages' licences.
# Installing the packages themselves would more than double the image: their dependencies bring much
# that is never loaded.
#   docker/collect_runtime.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder/lib" "$folder/licences"

libraries=$(ldd "$program")
if grep -q 'not found' <<<"$libraries"; then
  echo "collect_runtime.sh: libraries are missing here:" >&2
  grep 'not found' <<<"$libraries" >&2
  exit 1
fi
awk '$3 ~ /^\// { print $1, $3 }' <<<"$libraries" | while read -r name path; do
  real=$(realpath "$path")
  # /lib is a link to /usr/lib; packages may have been recorded with either.
  owner=$(dpkg-query -S "$real" 2>/dev/null || dpkg-query -S "${real#/usr}")
  package=${owner%%:*}
  # libc belongs to the base image, together with its loader.
  [[ $package != libc6 ]] || continue
  install -m 0644 "$real" "$folder/lib/$name"
  install -m 0644 "/usr/share/doc/$package/copyright" "$folder/licences/$package"
  dpkg-query -W -f '${Package} ${Version}\n' "$package"
done | sort -u > "$folder/packages.txt"
