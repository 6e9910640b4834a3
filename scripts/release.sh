#!/usr/bin/env bash
# Makes what is given to others: for x86-64 Linux with glibc 2.36 or later an archive with the programs,
# the libraries that they need and those libraries' licences; a Debian package; what is in them
# (SPDX); and SHA-256 sums.
#   scripts/release.sh OUTPUT-FOLDER                 builds: for the CPU, and with CUDA where nvcc is
#   scripts/release.sh OUTPUT-FOLDER BUILD-FOLDER    packs what is built there
# glint and glint-decode are programs of their own under terms of their own (docs/licences.md).
set -euo pipefail
if [[ $# -lt 1 || $# -gt 2 ]]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}

# The archive and its bill of materials. @param 1 the build's folder, 2 the archive's name
archive() {
  local build=$1 name=$2 folder=$work/$2
  cmake --install "$build" --component program --strip --prefix "$folder" >/dev/null
  # Beside each other, so that one search path for libraries, ../lib, is right for both.
  install -m 755 "$build/src/cli/glint" "$build/src/cli/glint-decode" "$folder/bin/"
  strip "$folder/bin/"*
  rm -r "$folder/libexec"
  "$root/docker/collect_runtime.sh" "$folder" "$build" "$build/src/cli/glint" "$build/src/cli/glint-decode"
  "$root/scripts/sbom.py" "$folder" "$name" "$version" > "$out/$name.spdx.json"
  cp "$out/$name.spdx.json" "$folder/sbom.spdx.json"
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$work" -c "$name" |
    gzip -n -9 > "$out/$name.tar.gz"
}

pack() {
  local build
  build=$(cd "$1" && pwd)
  cmake --build "$build" --target glint_program glint_decoder glint_written >/dev/null
  version=$("$build/src/cli/glint" --version | awk '{ print $2 }')
  local cuda=
  if "$build/src/cli/glint" version --json | grep -q '"compiler"'; then cuda=-cuda; fi
  archive "$build" "glint-$version-linux-x86_64$cuda"
  # One package for everybody: its libraries are Debian's. With CUDA it would need no more of them, and
  # would hold a part under NVIDIA's terms.
  if [[ -z $cuda || $# -eq 2 ]]; then
    (cd "$work" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/deb" >"$work/cpack.log" 2>&1) ||
      { cat "$work/cpack.log" >&2; exit 1; }
    cp "$work"/deb/*.deb "$out/"
  fi
}

if [[ $# -eq 2 ]]; then
  pack "$2" alone
else
  options=(-DGLINT_TESTS=OFF -DGLINT_BENCH=OFF -DGLINT_ENCODER=OFF -DCMAKE_INSTALL_PREFIX=/usr)
  for kind in cpu cuda; do
    [[ $kind == cpu ]] || PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null || continue
    build=$root/build/release-$kind
    # CUDA "auto" takes the compiler that is here
    cmake --preset release -B "$build" "${options[@]}" -DGLINT_CUDA="$([[ $kind == cpu ]] && echo OFF || echo AUTO)"
    cmake --build "$build" -j "${GLINT_JOBS:-$(nproc)}"
    pack "$build"
  done
fi
(cd "$out" && sha256sum -- *.tar.gz *.deb *.spdx.json > SHA256SUMS)
ls -lh "$out"
