#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the CUDA kernels cost, counted in their PTX while it runs on the host, and what that lets expect of GPUs by
their published figures. MODELLED: nothing here was measured on a GPU.

    bench/scripts/kernel_table.py BUILD-FOLDER [--check | --write-limits | --against PTX] [--size 320x180]

Registers and shared memory come from ptxas, which must be on the PATH. --check prints no table, and fails where a
kernel costs more than kernel_limits.json allows; --write-limits raises those to what was found (delete the file first,
to lower them). --against compares the flow with OpenCV's own, by the PTX of opencv_contrib's
modules/cudaoptflow/src/cuda/farneback.cu."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

# Published figures: multiprocessors, GHz (boost), GB/s, float and integer lanes of a multiprocessor; limits of a
# multiprocessor: threads, shared memory in KiB.
GPUS = {
    "T4": dict(sm=75, count=40, ghz=1.59, gbs=320, floats=64, integers=64, threads=1024, shared=64),
    "L4": dict(sm=89, count=58, ghz=2.04, gbs=300, floats=128, integers=64, threads=1536, shared=100),
    "A10": dict(sm=86, count=72, ghz=1.695, gbs=600, floats=128, integers=64, threads=1536, shared=100),
    "A100": dict(sm=80, count=108, ghz=1.41, gbs=1555, floats=64, integers=64, threads=2048, shared=164),
    "H100": dict(sm=90, count=132, ghz=1.98, gbs=3350, floats=128, integers=64, threads=2048, shared=228),
    "H200": dict(sm=90, count=132, ghz=1.98, gbs=4800, floats=128, integers=64, threads=2048, shared=228),
}
SCHEDULERS = 4  # of a multiprocessor, an instruction of a warp each per cycle
REGISTERS = 65536  # of a multiprocessor
BLOCK = 256  # threads

# What each kernel cost when it was last looked at; --check lets none get worse by more than SLACK.
LIMITS = pathlib.Path(__file__).with_name("kernel_limits.json")
SLACK = 1.05
WORSE_WHEN_LARGER = ("instructions", "bytes_moved", "conflicts", "divergence")


def count(build, program, *arguments):
    ran = subprocess.run([build / "tests/stages" / program, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    for row in rows:
        row["instructions"] = sum(value for kind, value in row["per_pixel"].items())
        moved = 32 * row["sectors"]
        row["sector_share"] = row["useful_bytes"] / moved if moved else 1.0
        row["bytes_moved"] = moved / row["pixels"]
        row["conflicts"] = row["passes"] / row["least_passes"] if row["least_passes"] else 1.0
        row["divergence"] = row["divergent"] / row["branches"] if row["branches"] else 0.0
    return rows


def resources(build):
    """Registers and bytes of shared memory by sm and symbol."""
    found = {}
    for ptx in sorted((build / "tests/stages").rglob("*.ptx")):
        text = ptx.read_text()
        for sm in sorted({gpu["sm"] for gpu in GPUS.values()}):
            # The PTX is of sm 90; what these kernels use of it is older than sm 75.
            older = re.sub(r"\.target sm_\d+", f".target sm_{sm}", text)
            said = subprocess.run(["ptxas", "-v", f"-arch=sm_{sm}", "-o", "/dev/null", "-"], input=older,
                                  capture_output=True, text=True, check=True)
            for symbol, used in re.findall(r"Compiling entry function '(\w+)'(?:.*\n)*?.*(Used .*)", said.stderr):
                registers = int(re.search(r"Used (\d+) registers", used)[1])
                shared = re.search(r"(\d+) bytes smem", used)
                found[sm, symbol] = registers, int(shared[1]) if shared else 0
    return found


def occupancy(gpu, registers, shared):
    """Share of the threads that a multiprocessor can hold which it does hold."""
    by_registers = REGISTERS // (-(-registers // 8) * 8 * BLOCK)
    by_shared = gpu["shared"] * 1024 // (shared + 1024) if shared else 99  # 1 KiB is the system's
    blocks = min(gpu["threads"] // BLOCK, by_registers, by_shared)
    return blocks * BLOCK / gpu["threads"]


def bounds(row, gpu):
    """Nanoseconds per pixel that each resource takes."""
    cycles = gpu["count"] * gpu["ghz"]  # of all multiprocessors, per ns
    warps = max(row["issued"] / SCHEDULERS, row["issued_float"] * 32 / gpu["floats"],
                row["issued_integer"] * 32 / gpu["integers"])
    return {"memory": row["footprint_bytes"] / gpu["gbs"] / row["pixels"], "issue": warps / cycles / row["pixels"],
            "shared": row["passes"] / cycles / row["pixels"]}


def figures(rows):
    """What is held under limits, per stage and kernel; all per pixel, or shares."""
    return {f"{row['stage']}, {row['kernel']}": {name: round(row[name], 3) for name in WORSE_WHEN_LARGER}
            for row in rows}


def check(rows):
    limits, wrong = json.loads(LIMITS.read_text()), []
    found = figures(rows)
    for kernel, most in limits.items():
        if kernel not in found:
            wrong.append(f"{kernel}: did not run")
            continue
        wrong += [f"{kernel}: {name} {found[kernel][name]}, at most {most[name]} and 5 %" for name in WORSE_WHEN_LARGER
                  if found[kernel][name] > most[name] * SLACK + 0.001]
    wrong += [f"{kernel}: has no limits; add them with --write-limits" for kernel in found.keys() - limits.keys()]
    print("\n".join([*wrong, f"kernels: {len(found)} counted, {len(wrong)} over a limit"]))
    return bool(wrong)


def write_limits(rows):
    """Keeps the larger of what is there and what was found: several toolkits share the limits."""
    limits = json.loads(LIMITS.read_text()) if LIMITS.exists() else {}
    for kernel, one in figures(rows).items():
        old = limits.get(kernel, one)
        limits[kernel] = {name: max(old[name], one[name]) for name in WORSE_WHEN_LARGER}
    lines = [f"  {json.dumps(kernel)}: {json.dumps(limits[kernel])}" for kernel in sorted(limits)]
    LIMITS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def table(rows, build):
    used = resources(build)
    print("| stage | kernel | instructions (float, integer, memory) | bytes asked, moved, at least | sectors used "
          "| bank rounds | divergent | registers, shared (sm 90) | occupancy T4 / A10 / H100 |")
    print("|" + "---|" * 9)
    for row in rows:
        kinds = row["per_pixel"]
        memory = sum(value for kind, value in kinds.items() if "global" in kind or "shared" in kind)
        asked, least = (row[key] / row["pixels"] for key in ("useful_bytes", "footprint_bytes"))
        registers, shared = used[90, row["symbol"]]
        full = [occupancy(GPUS[gpu], *used[GPUS[gpu]["sm"], row["symbol"]]) for gpu in ("T4", "A10", "H100")]
        print(f"| {row['stage']} | {row['kernel']} "
              f"| {row['instructions']:.0f} ({kinds['float']:.0f}, {kinds['integer']:.0f}, {memory:.0f}) "
              f"| {asked:.1f}, {row['bytes_moved']:.1f}, {least:.1f} | {row['sector_share']:.0%} "
              f"| {row['conflicts']:.2f} | {row['divergence']:.1%} | {registers}, {shared} "
              f"| {' / '.join(f'{share:.0%}' for share in full)} |")
    print()
    print("| modelled, us per megapixel, and what bounds it | " + " | ".join(GPUS) + " |")
    print("|" + "---|" * (len(GPUS) + 1))
    for stage in dict.fromkeys(row["stage"] for row in rows):
        cells = []
        for gpu in GPUS.values():
            total, of = 0.0, {}
            for row in (row for row in rows if row["stage"] == stage):
                name, value = max(bounds(row, gpu).items(), key=lambda item: item[1])
                total += value
                of[name] = of.get(name, 0) + value
            cells.append(f"{total * 1000:.1f} {max(of, key=of.get)}")
        print(f"| {stage} | " + " | ".join(cells) + " |")


def against(ours, theirs):
    """A table per kernel, and the sums of both."""
    sums = {}
    print("| flow, per pixel of a pair | instructions (float, integer, memory) | bytes moved | at least | bank rounds |")
    print("|" + "---|" * 5)
    for row in [*ours, *theirs]:
        kinds = row["per_pixel"]
        memory = sum(value for kind, value in kinds.items() if "global" in kind or "shared" in kind)
        least = row["footprint_bytes"] / row["pixels"]
        who = "OpenCV's" if row in theirs else "ours"
        print(f"| {who}: {row['kernel']} "
              f"| {row['instructions']:.0f} ({kinds['float']:.0f}, {kinds['integer']:.0f}, {memory:.0f}) "
              f"| {row['bytes_moved']:.0f} | {least:.0f} | {row['conflicts']:.2f} |")
        for key, value in (("instructions", row["instructions"]), ("bytes moved", row["bytes_moved"]),
                           ("bytes, each once per launch", least)):
            sums.setdefault(key, {}).setdefault(who, 0)
            sums[key][who] += value
    print()
    for key, of in sums.items():
        own, other = of["ours"], of["OpenCV's"]
        print(f"{key}: ours {own:.0f}, OpenCV's {other:.0f}: {other / own:.2f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write-limits", action="store_true")
    parser.add_argument("--against", metavar="PTX", type=pathlib.Path)
    parser.add_argument("--size", default="320x180")
    arguments = parser.parse_args()
    build, size = arguments.build.resolve(), arguments.size.split("x")
    if arguments.against:
        against(count(build, "kernel_counts", *size, "flow"),
                count(build, "opencv_flow_counts", arguments.against.resolve(), *size))
        return
    rows = count(build, "kernel_counts", *size)
    if arguments.check:
        sys.exit(check(rows))
    if arguments.write_limits:
        write_limits(rows)
    else:
        table(rows, arguments.build)


if __name__ == "__main__":
    main()
