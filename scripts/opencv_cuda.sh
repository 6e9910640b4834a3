#!/usr/bin/env bash
# Builds an OpenCV with the CUDA modules of glint's backend opencv_cuda, from sources that you fetched, and installs it
# into a folder of its own.
#   scripts/opencv_cuda.sh SOURCE CONTRIB PREFIX [CMAKE ARGUMENT...]
# SOURCE is OpenCV 4.10 or later, CONTRIB the opencv_contrib that belongs to it. It takes the nvcc in CUDACXX, or
# Debian's (scripts/setup.sh --cuda), with the NPP libraries beside it, and fetches nothing. CMake's arguments override:
# -D CUDA_ARCH_BIN=7.5 -D CUDA_ARCH_PTX=7.5 builds for one kind of GPU, several times faster than for all.
# Works in build/opencv-cuda; a second call goes on where one was interrupted. GLINT_JOBS: how many compilers at once.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "opencv_cuda.sh: $1" >&2
  exit "${2:-1}"
}

if [[ ${1:-} == -h || ${1:-} == --help || $# -lt 3 ]]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0"
  [[ $# -ge 1 && $1 == -* ]] || exit 2
  exit 0
fi
source=$(realpath -m "$1")
contrib=$(realpath -m "$2")
prefix=$(realpath -m "$3")
shift 3

header=$source/modules/core/include/opencv2/core/version.hpp
[[ -f $header ]] || fail "$source holds no OpenCV: there is no ${header#"$source"/}"
version=$(awk '/#define CV_VERSION_(MAJOR|MINOR|REVISION)/ { printf "%s%s", dot, $3; dot = "." }' "$header")
[[ $(printf '%s\n' 4.10 "$version" | sort -V | head -n 1) == 4.10 ]] ||
  fail "$source is OpenCV $version; glint's backend needs 4.10 or later"
[[ -d $contrib/modules/cudaoptflow ]] ||
  fail "$contrib is no opencv_contrib: there is no modules/cudaoptflow"
nvcc=${CUDACXX:-/usr/bin/nvcc}
[[ -x $nvcc ]] || fail "there is no $nvcc; install Debian's with 'CUDACXX=/usr/bin/nvcc scripts/setup.sh --cuda', or name \
another in CUDACXX"
# It calls the toolkit's other programs by their names, and so those beside it must be found first.
PATH=$(dirname "$nvcc"):$PATH
toolkit=$(cd "$(dirname "$(realpath "$nvcc")")/.." && pwd)
[[ $nvcc != /usr/bin/nvcc ]] || toolkit=/usr # Debian's is a script, which stands for one elsewhere

build=$here/build/opencv-cuda
mkdir -p "$build"
cd "$build"
# The compiler that nvcc calls, as glint's own build finds it.
printf '%s\n' "include($here/cmake/GlintCudaToolkit.cmake)" 'glint_find_cuda_host_compiler(host)' 'message("${host}")' >host.cmake
host=$(cmake -D CMAKE_CUDA_COMPILER="$nvcc" -D CMAKE_CXX_COMPILER="$(command -v "${CXX:-c++}")" -P host.cmake 2>&1)
[[ -n $host ]] || fail "$nvcc works with none of the C++ compilers here; install an older one (g++-11 for CUDA 11.8)"

modules=(core imgproc imgcodecs flann features2d calib3d video ximgproc optflow
  cudev cudaarithm cudafilters cudaimgproc cudaoptflow cudawarping)
arguments=(
  -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_PREFIX="$prefix" -D CMAKE_CXX_STANDARD=17
  -D OPENCV_EXTRA_MODULES_PATH="$contrib/modules" -D BUILD_LIST="$(IFS=,; echo "${modules[*]}")"
  -D WITH_CUDA=ON -D CUDA_TOOLKIT_ROOT_DIR="$toolkit" -D CUDA_NVCC_EXECUTABLE="$nvcc"
  -D CUDA_NVCC_FLAGS=--std=c++17 -D CUDA_ARCH_BIN="7.5 8.0 8.6 8.9 9.0" -D CUDA_ARCH_PTX=9.0
  -D WITH_CUDNN=OFF -D WITH_NVCUVID=OFF -D WITH_NVCUVENC=OFF -D OPENCV_DOWNLOAD_PATH="$build/downloads"
)
[[ $host == default ]] || arguments+=(-D CUDA_HOST_COMPILER="$host")
# glint needs no pictures from files, windows, videos, bindings, programs or tests of OpenCV's.
for option in WITH_{1394,ADE,EIGEN,FFMPEG,GSTREAMER,GTK,IPP,ITT,JASPER,JPEG,OPENCL,OPENEXR,OPENJPEG,PNG,PROTOBUF,QUIRC} \
  WITH_{TIFF,V4L,VA,WEBP} BUILD_{DOCS,EXAMPLES,JAVA,PERF_TESTS,TESTS,opencv_apps,opencv_python3,opencv_js}; do
  arguments+=(-D "$option=OFF")
done
if command -v ccache >/dev/null; then arguments+=(-D CMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

generator=()
if command -v ninja >/dev/null && [[ ! -e CMakeCache.txt ]]; then generator=(-G Ninja); fi
# The module of NVIDIA's optical flow hardware would fetch headers, and does without them: a proxy that is not there
# keeps CMake from asking anybody.
https_proxy=http://127.0.0.1:9 cmake "${generator[@]}" -S "$source" -B . "${arguments[@]}" "$@"
cmake --build . -j "${GLINT_JOBS:-$(nproc)}" --target install
echo "opencv_cuda: OpenCV $version is in $prefix; build glint on it with"
# OpenCV's package file looks for the CUDA that it was built with, and takes no other.
echo "  scripts/build.sh release -D OpenCV_DIR=$prefix/lib/cmake/opencv4 -D GLINT_OPENCV_CUDA=ON" \
  "-D CUDA_TOOLKIT_ROOT_DIR=$toolkit"
