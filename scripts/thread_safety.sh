#!/usr/bin/env bash
# Checks with clang that what a mutex guards is only touched under it (src/base/mutex.h): every
# source of ours that uses a lock, or whose header does. And that clang, which makes the fuzzers,
# understands them and what they feed, since no other check compiles that with it.
#   scripts/thread_safety.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang=$(command -v clang++-14 || command -v clang++ || true)
if [[ -z $clang ]]; then
  echo "thread_safety: skipped, clang is missing: apt-get install clang" >&2
  exit 0
fi

generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
(cd proto && find . -name '*.proto' -exec protoc --cpp_out="$generated" \
  --grpc_out="$generated" --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" {} +)

# A lock that clang knows nothing of is no lock to it.
folders=(src include bench tests)
unknown=0
if grep -nE 'std::(mutex|shared_mutex|condition_variable)\b' -r src include bench |
  grep -vE '^src/base/mutex\.h|base_sink<std::mutex>'; then
  echo "thread_safety: use the locks of src/base/mutex.h" >&2
  unknown=1
fi

sources=()
while read -r file; do
  source=${file%.*}.cc
  [[ $file == include/glint/* ]] && source=$(find src -name "$(basename "$source")")
  [[ -f $source ]] && sources+=("$source")
done < <(grep -rlE --include='*.cc' --include='*.h' '\b(MutexLock|Mutex)\b' "${folders[@]}")
sources+=(tests/fuzz/*_fuzzer.cc src/decode/*.cc src/decode/child/*.cc src/image/*.cc)
mapfile -t sources < <(printf '%s\n' "${sources[@]}" | sort -u)

flags=(-std=c++20 -fsyntax-only -Wthread-safety -Werror=thread-safety -Iinclude -Isrc -I. -Itests
  -DGLINT_VERSION='""' -DGLINT_SOURCE_DIR='""' -isystem /usr/include/opencv4
  -isystem /usr/include/postgresql -isystem "$generated")
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" "$clang" "${flags[@]}"
if [[ $unknown == 1 ]]; then
  exit 1
fi
echo "thread_safety: ${#sources[@]} sources are clean"
