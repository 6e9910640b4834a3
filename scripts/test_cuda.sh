#!/usr/bin/env bash
# Builds the kernels with another CUDA toolkit than the one on the PATH, and runs what nvcc made of them on the host:
# every comparison with the CPU's bytes must hold with every toolkit.
#   scripts/test_cuda.sh [NVCC]      default: Debian's (nvidia-cuda-toolkit); ends with 77 where there is none
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

nvcc=${1:-/usr/bin/nvcc}
if [[ ! -x $nvcc ]]; then
  echo "test_cuda.sh: skipped, there is no $nvcc (Debian's package nvidia-cuda-toolkit)" >&2
  exit 77
fi
# It calls the toolkit's other programs by their names, and so those beside it must be found first.
PATH=$(dirname "$nvcc"):$PATH
version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
build=build/cuda-$version
. scripts/compiler_cache.sh
cmake --preset ci -B "$build" -DGLINT_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc" >"/tmp/glint-cuda-$version.log" || {
  cat "/tmp/glint-cuda-$version.log" >&2
  exit 1
}
cmake --build "$build" -j "${GLINT_JOBS:-$(nproc)}" --target host_cuda_test
echo "test_cuda: the kernels as CUDA $version makes them"
exec ctest --test-dir "$build" --output-on-failure -R '^host_cuda_test$'
