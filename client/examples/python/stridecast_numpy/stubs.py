# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""The messages of proto/stridecast/v1, generated when first imported.

Generated code fits one version of protobuf, so it is no part of the repository:
it is made by grpc_tools.protoc and kept in a cache, under a name that changes
with the .proto files and that version.
  STRIDECAST_PROTO   where the .proto files are; default: this repository's
  STRIDECAST_STUBS   the cache; default: ~/.cache/stridecast
"""

import hashlib
import os
import pathlib
import sys
import tempfile

import google.protobuf

_FILES = ("tensor.proto", "program.proto", "service.proto")


def _generate(proto: pathlib.Path, target: pathlib.Path) -> None:
    """Fills `target`, or leaves it to another process that is faster."""
    from grpc_tools import protoc

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        made = pathlib.Path(work) / "stubs"
        made.mkdir()
        arguments = ["protoc", f"-I{proto}", f"--python_out={made}"]
        files = [f"stridecast/v1/{name}" for name in _FILES]
        if protoc.main(arguments + files) != 0:
            raise ImportError(f"protoc failed on the files in {proto}")
        try:
            made.rename(target)
        except OSError:
            if not target.is_dir():
                raise


def _directory() -> pathlib.Path:
    here = pathlib.Path(__file__).resolve()
    proto = pathlib.Path(os.environ.get("STRIDECAST_PROTO", here.parents[4] / "proto"))
    cache = os.environ.get("STRIDECAST_STUBS", "~/.cache/stridecast")
    if not proto.is_dir():
        raise ImportError(f"no folder {proto}: STRIDECAST_PROTO says where the .proto "
                          "files are, the folder that has stridecast/v1")
    digest = hashlib.sha256(google.protobuf.__version__.encode())
    for name in _FILES:
        digest.update((proto / "stridecast/v1" / name).read_bytes())
    target = pathlib.Path(cache).expanduser() / f"python-{digest.hexdigest()[:16]}"
    if not target.is_dir():
        _generate(proto, target)
    return target


sys.path.append(str(_directory()))

from stridecast.v1 import program_pb2, service_pb2, tensor_pb2  # noqa: E402

__all__ = ["program_pb2", "service_pb2", "tensor_pb2"]
