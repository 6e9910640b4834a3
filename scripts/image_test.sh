#!/usr/bin/env bash
# Builds the image with CUDA and without, with docker, podman or buildah, tries both (tests/docker/image_test.py), and
# says how large they are. Half an hour or more. Ends with 77 and a line that says why where that cannot be done.
#   scripts/image_test.sh [--base] [--if-asked] [GLINT]
#     --base       buildah, as root: make debian:bookworm-slim with debootstrap (from $MIRROR) where there is none
#     --if-asked   only where GLINT_TEST_IMAGE is "build": for CI
#     GLINT        the program that draws the test's video; default: build/ci/src/cli/glint, build/release/src/cli/glint
# What scripts/image.sh reads (GLINT_BUILDER, GLINT_CCACHE, GLINT_JOBS, GLINT_IMAGE_FLAGS) holds here, too, and
# GLINT_RUN_FLAGS: for buildah inside a container, "--isolation chroot --network host" and "--isolation chroot".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() {
  echo "image_test.sh: skipped, $1" >&2
  exit 77
}

base=docker.io/library/debian:bookworm-slim
make_base=
glint=
for argument in "$@"; do
  case $argument in
    --base) make_base=1 ;;
    --if-asked)
      [[ ${GLINT_TEST_IMAGE:-} == build ]] || skip 'GLINT_TEST_IMAGE=build asks for the images; they take half an hour'
      ;;
    -*) sed -n '4,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) glint=$argument ;;
  esac
done

for candidate in build/ci/src/cli/glint build/release/src/cli/glint; do
  [[ -n $glint || ! -x $candidate ]] || glint=$candidate
done
[[ -n $glint ]] || skip 'there is no build of glint that could draw the video (scripts/build.sh)'

builder=${GLINT_BUILDER:-}
for candidate in docker podman buildah; do
  # A docker without its daemon is of no use.
  [[ -n $builder ]] || ! "$candidate" images >/dev/null 2>&1 || builder=$candidate
done
[[ -n $builder ]] || skip 'neither docker, podman nor buildah works here'
export GLINT_BUILDER=$builder

# Whether the base image is here, or can be had.
has_base() {
  [[ -n $("$builder" images -q "$base" 2>/dev/null) ]] || timeout 120 "$builder" pull "$base" >/dev/null 2>&1
}

if ! has_base; then
  [[ -n $make_base ]] || skip "$builder has no $base and cannot pull it (--base makes one)"
  [[ $builder == buildah && $(id -u) -eq 0 ]] || skip '--base wants buildah and root'
  command -v debootstrap >/dev/null || skip '--base wants debootstrap'
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  debootstrap --variant=minbase bookworm "$folder/root" "${MIRROR:-http://deb.debian.org/debian}" >"$folder/log" ||
    { tail "$folder/log" >&2; exit 1; }
  rm -rf "$folder"/root/var/cache/apt/archives/*.deb "$folder"/root/var/lib/apt/lists/*
  container=$(buildah from scratch)
  buildah add -q "$container" "$folder/root" / >/dev/null
  buildah config --cmd bash "$container"
  buildah commit -q --rm "$container" "$base" >/dev/null
  rm -rf "$folder/root"
fi

for CUDA in on off; do
  export CUDA
  tag=glint:image-test-cuda-$CUDA
  scripts/image.sh "$tag"
  GLINT_TEST_IMAGE=$tag python3 tests/docker/image_test.py "$glint"
  echo "image_test: CUDA $CUDA: $("$builder" images --format '{{.Size}}' "$tag" | sort -u)"
done
