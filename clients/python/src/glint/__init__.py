# SPDX-License-Identifier: Apache-2.0
"""Client of a glint worker.

    import glint

    with glint.Client("127.0.0.1:50051") as worker:
        scan = worker.scan("https://media.example/card.mp4", item_type="card")
        print(scan.result.summary.verdict)
"""
from glint.client import Client
from glint.errors import GlintError, ScanFailed

__all__ = ["Client", "GlintError", "ScanFailed"]
