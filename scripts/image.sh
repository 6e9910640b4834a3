#!/usr/bin/env bash
# Builds the worker's image with whatever is here: docker, podman or buildah.
#   scripts/image.sh [TAG]          default: glint:latest
# CUDA=off leaves the CUDA code out. GLINT_BUILDER picks one of the three. GLINT_CCACHE names a folder that keeps
# compiled files between builds (podman, buildah). GLINT_JOBS limits the compilers that run at once. Further flags for
# the builder: GLINT_IMAGE_FLAGS, e.g. "--isolation chroot --network host" for buildah inside a container.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tag=${1:-glint:latest}
builder=${GLINT_BUILDER:-}
for candidate in docker podman buildah; do
  # A docker without its daemon is of no use.
  [[ -n $builder ]] || ! "$candidate" images >/dev/null 2>&1 || builder=$candidate
done
arguments=(-f docker/Dockerfile -t "$tag" --build-arg "JOBS=${GLINT_JOBS:-}" --build-arg "CUDA=${CUDA:-on}")
read -ra flags <<<"${GLINT_IMAGE_FLAGS:-}"
cache=()
if [[ -n ${GLINT_CCACHE:-} ]]; then
  mkdir -p "$GLINT_CCACHE"
  cache=(--volume "$(realpath "$GLINT_CCACHE"):/ccache")
fi
case $builder in
  docker) docker build "${flags[@]}" "${arguments[@]}" . ;;
  # HEALTHCHECK exists in Docker's image format only.
  podman) podman build --format docker "${flags[@]}" "${cache[@]}" "${arguments[@]}" . ;;
  buildah) buildah bud --format docker --layers "${flags[@]}" "${cache[@]}" "${arguments[@]}" . ;;
  '') echo "image.sh: neither docker, podman nor buildah works here; install one of them" >&2; exit 1 ;;
  *) echo "image.sh: GLINT_BUILDER must be docker, podman or buildah, not '$builder'" >&2; exit 2 ;;
esac
echo "image: $tag"
