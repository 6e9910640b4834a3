#!/usr/bin/env bash
# Generates the typed stubs of glint's API into src/generated (or the folder given). They are
# committed, so only someone who changes a .proto needs this. Needs `npm ci` and protoc (Debian:
# protobuf-compiler and libprotobuf-dev).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=${1:-src/generated}
api=../../proto
rm -rf "$out"
mkdir -p "$out"
protoc --plugin=protoc-gen-ts_proto=node_modules/.bin/protoc-gen-ts_proto \
  --ts_proto_out="$out" \
  --ts_proto_opt=outputServices=grpc-js,env=node,esModuleInterop=true,forceLong=number \
  --ts_proto_opt=outputJsonMethods=false,useExactTypes=false,removeEnumPrefix=true \
  --ts_proto_opt=annotateFilesWithVersion=false \
  -I "$api" \
  "$api"/glint/v1/{scan,scan_service,worker_service}.proto \
  "$api"/google/rpc/{status,error_details}.proto
