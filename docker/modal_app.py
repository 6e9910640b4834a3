# SPDX-License-Identifier: Apache-2.0
"""glint on Modal (https://modal.com), in two shapes. NOT TESTED: written from Modal's documentation,
run by nobody yet.

    scripts/image.sh REGISTRY/glint:TAG && docker push REGISTRY/glint:TAG
    modal secret create glint GLINT_TOKENS=... AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=...
    GLINT_IMAGE=REGISTRY/glint:TAG GLINT_STORE=s3://bucket modal deploy docker/modal_app.py

1. `scan` (the usual one): a function that scans one video with the program in the container.
   Call it from anywhere with Modal's client: modal.Function.from_name("glint", "scan").spawn(...).
2. `serve`: a whole worker behind a tunnel that passes HTTP/2. Its address is new with every container;
   it is published in the modal.Dict "glint-workers". Modal's own web endpoints do not carry gRPC.
"""
import json
import os
import subprocess

import modal

GPU = os.environ.get("GLINT_GPU", "T4")
PORT = 50051
STORE = os.environ.get("GLINT_STORE", "s3://scans")

image = (
    modal.Image.from_registry(os.environ.get("GLINT_IMAGE", "glint:latest"), add_python="3.12")
    .dockerfile_commands("USER root", "ENTRYPOINT []")  # Modal starts its own process in the container
    .env({"GLINT_STORE": STORE})
)
app = modal.App("glint", image=image)
secrets = [modal.Secret.from_name("glint")]
workers = modal.Dict.from_name("glint-workers", create_if_missing=True)


@app.function(gpu=GPU, secrets=secrets, timeout=1800, max_containers=8)
def scan(scan_id: str, video_url: str, item_type: str = "generic") -> dict:
    """Scans one video into STORE/scan_id. Returns the last line that `glint scan --json` prints."""
    command = ["glint", "scan", video_url, "--json", "--item-type", item_type,
               "--out", f"{STORE}/{scan_id}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"glint scan ended with {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(lines[-1])


@app.function(gpu=GPU, secrets=secrets, timeout=24 * 3600, max_containers=1)
def serve() -> None:
    """A worker until nothing has come for five minutes. Start it with `modal run docker/modal_app.py::serve`."""
    # The tunnel ends TLS and hands the bare HTTP/2 to the worker, which asks for a token.
    worker = subprocess.Popen(["glint", "serve", "--listen", f"127.0.0.1:{PORT}", "--state", "/tmp/glint",
                               "--exit-when-idle", "5m"])
    with modal.forward(PORT, h2_enabled=True) as tunnel:
        host, port = tunnel.tls_socket
        workers["address"] = f"{host}:{port}"  # GLINT_SERVER of a client, with GLINT_TLS=1
        try:
            worker.wait()
        finally:
            workers.pop("address")
            worker.terminate()
            worker.wait(timeout=60)
