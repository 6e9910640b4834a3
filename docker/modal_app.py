# SPDX-License-Identifier: Apache-2.0
"""glint on Modal (https://modal.com). Written from Modal's documentation and tried against a stand-in of its
interface (tests/docker/modal_test.py); NOT YET RUN ON MODAL.

    scripts/image.sh REGISTRY/glint:TAG && docker push REGISTRY/glint:TAG
    modal secret create glint GLINT_TOKENS=... AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=...
    GLINT_IMAGE=REGISTRY/glint:TAG GLINT_STORE=s3://bucket modal deploy docker/modal_app.py

Functions, to be called from anywhere: modal.Function.from_name("glint", "scan").spawn(...)
- `scan`: chooses one of the two below, and waits for it.
- `scan_gpu`: one video on a GPU. It never runs on the CPU: without a GPU that works the call fails, so that nobody
  pays for a GPU that does nothing.
- `scan_cpu`: one video in a container without a GPU.
- `serve`: a whole worker behind a tunnel that passes HTTP/2, for `modal run docker/modal_app.py::serve`. Its address
  is new with every container; it is published in the modal.Dict "glint-workers". Modal's own web endpoints do not
  carry gRPC.
"""
import json
import os
import subprocess

import modal

GPU = os.environ.get("GLINT_GPU", "T4")
PORT = 50051
STORE = os.environ.get("GLINT_STORE", "s3://scans")
# Frames of up to so many pixels are no dearer on the CPU: `tuning.cpu_up_to_pixels` of what
# `glint bench --tune --out FILE` measured on such a GPU. Until somebody has measured, all are.
CPU_UP_TO_PIXELS = os.environ.get("GLINT_CPU_UP_TO_PIXELS", "")

image = (
    # Before Modal adds its Python, which needs root; and it starts its own process in the container.
    modal.Image.from_registry(os.environ.get("GLINT_IMAGE", "glint:latest"), add_python="3.12",
                              setup_dockerfile_commands=["USER root", "ENTRYPOINT []"])
    .env({"GLINT_STORE": STORE, "GLINT_CPU_UP_TO_PIXELS": CPU_UP_TO_PIXELS})
)
app = modal.App("glint", image=image)
secrets = [modal.Secret.from_name("glint")]
workers = modal.Dict.from_name("glint-workers", create_if_missing=True)


def device_for(tier: str, pixels: int) -> str:
    """Where a scan runs: "cuda" or "cpu".

    tier: "cheap" (always the CPU), "fast" (always the GPU), "auto" (the GPU for frames larger than
    CPU_UP_TO_PIXELS); pixels: width times height of a frame, 0 when unknown.
    """
    if tier not in ("cheap", "fast", "auto"):
        raise ValueError(f"tier must be cheap, fast or auto, not {tier!r}")
    if tier != "auto":
        return "cuda" if tier == "fast" else "cpu"
    return "cuda" if CPU_UP_TO_PIXELS and pixels > int(CPU_UP_TO_PIXELS) else "cpu"


def run_scan(device: str, scan_id: str, video_url: str, item_type: str) -> dict:
    """Scans into STORE/scan_id. Returns the `result` that `glint scan --json` prints: the verdict and where the
    report lies."""
    command = ["glint", "scan", video_url, "--json", "--item-type", item_type, "--device", device,
               "--out", f"{STORE}/{scan_id}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    results = [event for event in events if event["event"] == "result"]
    if done.returncode != 0 or not results:
        failed = [event for event in events if event["event"] == "failed"]
        raise RuntimeError(f"glint scan ended with {done.returncode}: {failed[-1] if failed else done.stderr[-2000:]}")
    return results[0]


@app.function(gpu=GPU, cpu=4, secrets=secrets, timeout=1800, max_containers=8)
def scan_gpu(scan_id: str, video_url: str, item_type: str = "generic") -> dict:
    """Scans one video on the GPU, or fails."""
    return run_scan("cuda", scan_id, video_url, item_type)


@app.function(cpu=4, secrets=secrets, timeout=1800, max_containers=8)
def scan_cpu(scan_id: str, video_url: str, item_type: str = "generic") -> dict:
    """Scans one video on the CPU."""
    return run_scan("cpu", scan_id, video_url, item_type)


@app.function(timeout=3600, max_containers=8)
def scan(scan_id: str, video_url: str, item_type: str = "generic", tier: str = "auto", pixels: int = 0) -> dict:
    """Scans one video where device_for() says."""
    chosen = scan_gpu if device_for(tier, pixels) == "cuda" else scan_cpu
    return chosen.remote(scan_id, video_url, item_type)


@app.function(gpu=GPU, cpu=4, secrets=secrets, timeout=24 * 3600, max_containers=1)
def serve() -> None:
    """A worker on the GPU until nothing has come for five minutes."""
    # The tunnel ends TLS and hands the bare HTTP/2 to the worker, which asks for a token.
    worker = subprocess.Popen(["glint", "serve", "--listen", f"127.0.0.1:{PORT}", "--state", "/tmp/glint",
                               "--device", "cuda", "--exit-when-idle", "5m"])
    with modal.forward(PORT, h2_enabled=True) as tunnel:
        host, port = tunnel.tls_socket
        workers["address"] = f"{host}:{port}"  # GLINT_SERVER of a client, with GLINT_TLS=1
        try:
            code = worker.wait()
        finally:
            workers.pop("address")
            worker.terminate()
            worker.wait(timeout=60)
    if code != 0:
        raise RuntimeError(f"glint serve ended with {code}; its log says why")
