#!/usr/bin/env bash
# Collects what programs need at run time, besides libc: in FOLDER/lib the shared libraries that they
# are linked with; for each program in FOLDER/packages/PROGRAM.txt the packages and versions that its
# libraries come from, shared or in the program itself (archives), and in FOLDER/licences/PROGRAM those
# packages' licences, because each program is passed on under terms of its own (docs/licences.md).
# FOLDER/packages.txt has all packages.
# Installing the packages themselves would more than double the image: their dependencies bring much
# that is never loaded.
#   docker/collect_runtime.sh FOLDER BUILD-FOLDER PROGRAM...    PROGRAM: a copy of one of the build's
set -euo pipefail
folder=$1
build=$2
shift 2
mkdir -p "$folder/lib" "$folder/packages"

# Lines "NAME PATH": shared libraries by the name that the loader looks for, archives as "-".
libraries_of() {
  ldd "$1" | awk '$3 ~ /^\// { print $1, $3 }'
  ninja -C "$build" -t inputs "src/cli/$(basename "$1")" | sed -nE 's|^(/.*\.a)$|- \1|p'
}

# The terms of an archive that no package of Debian's brought: NVIDIA's runtime.
terms_beside() {
  local root terms
  root=$(dirname "$(dirname "$1")")
  for terms in "$root"/EULA.txt "$root"/dist-info/nvidia_cuda_runtime-*/licenses/License.txt; do
    [[ ! -e $terms ]] || { echo "$terms"; return; }
  done
  echo "collect_runtime.sh: no package and no terms for $1" >&2
  return 1
}

for program in "$@"; do
  name=$(basename "$program")
  mkdir -p "$folder/licences/$name"
  if ldd "$program" | grep 'not found' >&2; then
    echo "collect_runtime.sh: $name lacks the libraries above" >&2
    exit 1
  fi
  libraries_of "$program" | while read -r library path; do
    real=$(realpath "$path")
    # /lib is a link to /usr/lib; packages may have been recorded with either.
    owner=$(dpkg-query -S "$real" 2>/dev/null || dpkg-query -S "${real#/usr}" 2>/dev/null || true)
    package=${owner%%:*}
    # libc belongs to the base image, together with its loader.
    [[ $package != libc6 && $package != libc6-dev ]] || continue
    [[ $library == - ]] || install -m 0644 "$real" "$folder/lib/$library"
    if [[ -n $package ]]; then
      install -m 0644 "/usr/share/doc/$package/copyright" "$folder/licences/$name/$package"
      dpkg-query -W -f '${Package} ${Version}\n' "$package"
    else
      terms=$(terms_beside "$real")
      install -m 0644 "$terms" "$folder/licences/$name/$(basename "$real")"
      echo "$(basename "$real") (no package)"
    fi
  done | sort -u > "$folder/packages/$name.txt"
done
sort -u "$folder"/packages/*.txt > "$folder/packages.txt"
