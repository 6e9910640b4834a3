#!/usr/bin/env bash
# Installs the Debian 12 packages that glint needs and that are missing here. Running it again
# changes nothing. Works as root or with sudo.
#   scripts/setup.sh            to build and run
#   scripts/setup.sh --cuda     also to build with CUDA: where there is no nvcc, Debian's (non-free)
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
  libsqlitecpp-dev libpq-dev libtomlplusplus-dev prometheus-cpp-dev libcivetweb-dev libre2-dev
  libmicrohttpd-dev libgnutls28-dev libminizip-dev
  libcurl4-openssl-dev libssl-dev
)
test_packages=(
  git curl clang clang-format clang-tidy libgtest-dev libgmock-dev libbenchmark-dev libopencv-video-dev
  python3-grpcio python3-protobuf python3-build python3-hatchling mypy
  python3 python3-numpy python3-opencv python3-scipy python3-jsonschema python3-selenium python3-yaml docker-compose
  chromium chromium-driver faketime
  valgrind radosgw ceph-mon ceph-osd ceph-common postgresql pgbouncer prometheus
)

# CUDA 11.8, and the newest compiler that it works with; Debian 12's own g++ is too new for it.
cuda_packages=(nvidia-cuda-toolkit g++-11)

usage() {
  sed -n '2,6s/^# \{0,1\}//p' "$0"
}

wanted=("${build_packages[@]}")
cuda=
for argument in "$@"; do
  case $argument in
    --tests)
      wanted+=("${test_packages[@]}")
      # Any Node.js from 18.18 on will do; Debian's only where there is none.
      command -v npm >/dev/null || wanted+=(nodejs npm)
      ;;
    --cuda)
      nvcc=${CUDACXX:-$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)}
      if [[ -n $nvcc && $nvcc != /usr/bin/nvcc ]]; then
        echo "setup: CUDA is here already: $nvcc"
      else
        cuda=1
        wanted+=("${cuda_packages[@]}")
      fi
      ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup.sh: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done

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

apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)

# Debian keeps NVIDIA's compiler apart, in a component that a fresh system does not ask for.
source_of_cuda=/etc/apt/sources.list.d/glint-cuda.sources
if [[ -n $cuda && -z $(apt-cache madison nvidia-cuda-toolkit 2>/dev/null) && ! -e $source_of_cuda ]]; then
  . /etc/os-release
  if [[ $ID != debian ]]; then
    echo "setup.sh: no package nvidia-cuda-toolkit here ($PRETTY_NAME); install NVIDIA's CUDA toolkit 11.8 or" \
      "later and put its nvcc on the PATH" >&2
    exit 1
  fi
  echo "setup: adding $source_of_cuda: Debian $VERSION_CODENAME, components contrib and non-free (NVIDIA's terms)"
  printf '%s\n' '# For nvidia-cuda-toolkit; written by scripts/setup.sh --cuda' 'Types: deb' \
    'URIs: http://deb.debian.org/debian' "Suites: $VERSION_CODENAME" 'Components: contrib non-free' \
    'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' |
    "${as_root[@]}" tee "$source_of_cuda" >/dev/null
fi

echo "setup: installing ${#missing[@]} packages with apt: ${missing[*]}"
[[ " ${missing[*]} " != *' nvidia-cuda-toolkit '* ]] || echo "setup: CUDA is 1.6 GB to fetch and 5 GB on the disk"
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
echo "setup: done"
