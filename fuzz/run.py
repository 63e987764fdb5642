"""Runs harnesses, each in a process of its own, and writes down how many inputs they took.

``python fuzz/run.py --inputs 20000 words models`` runs two of them. Those in Python are driven by Atheris, which sees
the branches of vitalfew that an input reaches; those in C++ by libFuzzer with address and undefined-behaviour
sanitizers, if there is a clang. Inputs that fail are kept in ``build/fuzz/<harness>``; copy them to
``fuzz/corpus/<harness>`` once mended, where ``tests/test_fuzz_corpus.py`` gives them to the harness again.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "fuzz"
PYTHON = ("words", "tables", "models", "reports", "files")
NATIVE = ("scan", "tokens")
FLAGS = "-std=c++20 -g -D_GLIBCXX_ASSERTIONS -pthread"
SANITIZED = "-O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
# Many more inputs in the same time; what reads beyond an array by a little is not seen.
BARE = "-O2 -fsanitize=fuzzer"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("harness", nargs="*", default=[*NATIVE, *PYTHON], help="all, by default")
    parser.add_argument("--inputs", type=int, default=10**9, help="of each harness")
    parser.add_argument("--seconds", type=int, default=60, help="for each harness")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bare", action="store_true", help="those in C++ without sanitizers, about six times as fast")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        return inside(asked.inside, asked)
    counts = [run(name, asked) for name in asked.harness]
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "counts.json").write_text(json.dumps(counts, indent=1) + "\n")
    print(f"{'harness':10}{'inputs':>12}{'seconds':>9}  ended")
    for c in counts:
        print(f"{c['harness']:10}{c['inputs']:>12,}{c['seconds']:>9.0f}  {c['ended']}")
    return int(any(c["ended"].startswith("failed") for c in counts))


def run(name: str, asked: argparse.Namespace) -> dict:
    """How many inputs a harness took until its time, its inputs or its luck was over."""
    folder = BUILD / name
    (folder / "seen").mkdir(parents=True, exist_ok=True)
    options = [
        f"-runs={asked.inputs}",
        f"-max_total_time={asked.seconds}",
        f"-seed={asked.seed}",
        f"-artifact_prefix={folder}/",
        "-max_len=600",
        "-timeout=600",
        "-rss_limit_mb=4096",
        str(folder / "seen"),
    ]
    if name in NATIVE:
        program = compiled(name, asked.bare)
        if program is None:
            return {"harness": name, "inputs": 0, "seconds": 0, "ended": "left out: there is no clang++ with libFuzzer"}
        command = [str(program), *options]
    else:
        command = [sys.executable, __file__, "--inside", name, "--seed", str(asked.seed)]
        os.environ["FUZZ_OPTIONS"] = json.dumps(options)
    begun = time.monotonic()
    with open(folder / "log", "w+") as log:
        code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
        log.seek(0)
        said = log.read()
    done = [int(n) for n in re.findall(r"^(?:#|Done )(\d+)", said, re.MULTILINE)]
    ended = "no failure" if code == 0 else f"failed; see {folder.relative_to(ROOT)}/log"
    return {"harness": name, "inputs": max(done, default=0), "seconds": time.monotonic() - begun, "ended": ended}


def compiled(name: str, is_bare: bool) -> Path | None:
    """The program of a harness in C++."""
    known = (shutil.which(c) for c in ("clang++", *(f"clang++-{v}" for v in range(22, 13, -1))))
    clang = next((c for c in known if c), None)
    if clang is None:
        return None
    core, program = ROOT / "cpp" / "src", BUILD / name / "program"
    sources = [HERE / f"{name}.cpp", *sorted(core.glob("tokens*.cpp")), core / "parallel.cpp"]
    flags = [*FLAGS.split(), *(BARE if is_bare else SANITIZED).split(), f"-I{ROOT / 'cpp' / 'include'}"]
    made = subprocess.run([clang, *flags, *map(str, sources), "-o", str(program)], check=False)
    return program if made.returncode == 0 else None


def inside(name: str, asked: argparse.Namespace) -> int:
    """One harness under Atheris, or under random bytes where that is not installed."""
    try:
        import atheris
    except ImportError:
        return random_bytes(importlib.import_module(name).one_input, asked)
    with atheris.instrument_imports(include=["vitalfew"]):
        harness = importlib.import_module(name)
    atheris.Setup([name, *json.loads(os.environ["FUZZ_OPTIONS"])], harness.one_input)
    atheris.Fuzz()
    return 0


def random_bytes(one_input, asked: argparse.Namespace) -> int:
    import random

    source, options = random.Random(asked.seed), json.loads(os.environ["FUZZ_OPTIONS"])
    inputs, seconds = (int(o.partition("=")[2]) for o in options[:2])
    end, n = time.monotonic() + seconds, 0
    while n < inputs and time.monotonic() < end:
        one_input(source.randbytes(source.randrange(400)))
        n += 1
    print(f"Done {n} runs, of random bytes: atheris is not installed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
