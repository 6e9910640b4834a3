#!/usr/bin/env bash
# Installs the Debian 12 packages that glint needs and that are missing here. Running it again
# changes nothing. Works as root or with sudo.
#   scripts/setup.sh            to build and run
#   scripts/setup.sh --tests    also to run the tests
set -euo pipefail

build_packages=(
  g++ make cmake ninja-build pkg-config ccache
  libopencv-core-dev libopencv-imgproc-dev libopencv-features2d-dev libopencv-calib3d-dev
  libtbb-dev liblapack-dev libblas-dev
  libavformat-dev libavcodec-dev libavutil-dev
  libabsl-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libcli11-dev
  libpng-dev libdeflate-dev libjpeg62-turbo-dev libhwy-dev libseccomp-dev
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
  libsqlitecpp-dev libtomlplusplus-dev prometheus-cpp-dev libcivetweb-dev libre2-dev libcurl4-openssl-dev libssl-dev
)
test_packages=(
  git clang clang-format clang-tidy libgtest-dev libgmock-dev libbenchmark-dev libopencv-video-dev
  python3 python3-numpy python3-opencv python3-scipy python3-jsonschema python3-selenium python3-yaml docker-compose
  chromium chromium-driver
  valgrind radosgw ceph-mon ceph-osd ceph-common
)

usage() {
  sed -n '2,5s/^# \{0,1\}//p' "$0"
}

wanted=("${build_packages[@]}")
case "${1:-}" in
  '') ;;
  --tests)
    wanted+=("${test_packages[@]}")
    # Any Node.js from 18.18 on will do; Debian's only where there is none.
    command -v npm >/dev/null || wanted+=(nodejs npm)
    ;;
  -h | --help) usage; exit 0 ;;
  *) echo "setup.sh: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null; then
  echo "setup.sh: there is no apt-get here; install by hand what provides: ${wanted[*]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: all ${#wanted[@]} packages are installed"
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: run as root (there is no sudo): apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${#missing[@]} packages with apt: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
echo "setup: done"
