#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stubs of proto/glint/v1 into src/glint/v1 (or FOLDER/glint/v1), with types.

usage: generate.py [FOLDER]

It needs protoc 3.20 or later and grpc_python_plugin: on Debian protobuf-compiler and protobuf-compiler-grpc. Debian's
python3-grpc-tools does not do: its protoc is 3.6, which knows no `optional` of proto3. Building the wheel runs this.
"""
from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import typing

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parents[1] / "proto"


def generate(out: pathlib.Path) -> None:
    plugin = shutil.which("grpc_python_plugin")
    if shutil.which("protoc") is None or plugin is None:
        raise SystemExit("generate.py: protoc or grpc_python_plugin is missing; on Debian:"
                         " apt-get install protobuf-compiler protobuf-compiler-grpc")
    files = sorted(str(file.relative_to(PROTO)) for file in (PROTO / "glint/v1").glob("*.proto"))
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run(["protoc", f"-I{PROTO}", f"--plugin=protoc-gen-grpc_python={plugin}", f"--python_out={out}",
                    f"--pyi_out={out}", f"--grpc_python_out={out}", *files], check=True)


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # as a script it needs none
    pass
else:
    class StubsHook(BuildHookInterface):  # type: ignore[misc]
        """Makes the stubs before the wheel is packed."""

        def initialize(self, version: str, build_data: dict[str, typing.Any]) -> None:
            generate(HERE / "src")


if __name__ == "__main__":
    generate(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "src")
