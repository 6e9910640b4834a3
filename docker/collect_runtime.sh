#!/usr/bin/env bash
# Collects what programs need at run time, besides libc: in FOLDER/lib the libraries that they are
# linked with; for each program in FOLDER/packages/PROGRAM.txt the Debian packages and versions that
# its libraries come from, and in FOLDER/licences/PROGRAM those packages' licences, because each
# program is passed on under terms of its own (docs/licences.md). FOLDER/packages.txt has all packages.
# Installing the packages themselves would more than double the image: their dependencies bring much
# that is never loaded.
#   docker/collect_runtime.sh FOLDER PROGRAM...
set -euo pipefail
folder=$1
shift
mkdir -p "$folder/lib" "$folder/packages"

for program in "$@"; do
  name=$(basename "$program")
  mkdir -p "$folder/licences/$name"
  libraries=$(ldd "$program")
  if grep -q 'not found' <<<"$libraries"; then
    echo "collect_runtime.sh: libraries of $name are missing here:" >&2
    grep 'not found' <<<"$libraries" >&2
    exit 1
  fi
  awk '$3 ~ /^\// { print $1, $3 }' <<<"$libraries" | while read -r library path; do
    real=$(realpath "$path")
    # /lib is a link to /usr/lib; packages may have been recorded with either.
    owner=$(dpkg-query -S "$real" 2>/dev/null || dpkg-query -S "${real#/usr}")
    package=${owner%%:*}
    # libc belongs to the base image, together with its loader.
    [[ $package != libc6 ]] || continue
    install -m 0644 "$real" "$folder/lib/$library"
    install -m 0644 "/usr/share/doc/$package/copyright" "$folder/licences/$name/$package"
    dpkg-query -W -f '${Package} ${Version}\n' "$package"
  done | sort -u > "$folder/packages/$name.txt"
done
sort -u "$folder"/packages/*.txt > "$folder/packages.txt"
