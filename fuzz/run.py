"""Run harnesses, each in a separate process, and record the number of inputs they processed.

``python fuzz/run.py --inputs 20000 words models`` runs two of them, and ``--append`` adds to what was counted before.
Those in Python are driven by Atheris, which sees the branches of vitalfew that an input reaches, or with ``--random``
by random bytes, of which there are many times as many; those in C++ by libFuzzer with address and undefined-behavior
sanitizers, if there is a clang. Inputs that fail are kept in ``build/fuzz/<harness>``; copy them to
``fuzz/corpus/<harness>`` once mended, where ``tests/test_fuzz_corpus.py`` gives them to the harness again.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import mmap
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "fuzz"
PYTHON = ("core", "words", "tables", "models", "sealed", "reports", "files")
NATIVE = ("scan", "tokens")
PAGE = 4096
# Harnesses whose inputs say how much memory and time they take. Address space is that of threads as well, of which a
# model may ask for 256; what is really used must not grow beyond `MEMORY`.
LIMITED = ("models", "sealed")
MEMORY = 1 << 30
ADDRESSES = 4 << 30
SECONDS = 20
FLAGS = "-std=c++20 -g -D_GLIBCXX_ASSERTIONS -pthread"
SANITIZED = "-O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
# Many more inputs in the same time, but small out-of-bounds reads are not detected.
BARE = "-O2 -fsanitize=fuzzer"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("harness", nargs="*", default=[*NATIVE, *PYTHON], help="all, by default")
    parser.add_argument("--inputs", type=int, default=10**9, help="of each harness")
    parser.add_argument("--seconds", type=int, default=60, help="for each harness")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bare", action="store_true", help="those in C++ without sanitizers, about six times as fast")
    parser.add_argument("--random", action="store_true", help="those in Python by random bytes instead of Atheris")
    parser.add_argument("--append", action="store_true", help="add to the counts of the runs before")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        return inside(asked.inside, asked)
    file = BUILD / "counts.json"
    before = json.loads(file.read_text()) if asked.append and file.exists() else []
    counts = []
    for name in asked.harness:
        counts.append(run(name, asked))
        file.write_text(json.dumps(before + counts, indent=1) + "\n")
    print(f"{'harness':10}{'driver':26}{'inputs':>12}{'seconds':>9}  ended")
    for c in before + counts:
        print(f"{c['harness']:10}{c['driver']:26}{c['inputs']:>12,}{c['seconds']:>9.0f}  {c['ended']}")
    return int(any(c["ended"].startswith("failed") for c in counts))


def run(name: str, asked: argparse.Namespace) -> dict:
    """Run a harness until its time or inputs run out or it fails, and return the number of inputs."""
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
            ended = "left out: there is no clang++ with libFuzzer"
            return {"harness": name, "driver": "libFuzzer", "inputs": 0, "seconds": 0, "ended": ended}
        command = [str(program), *options]
    else:
        os.environ["MALLOC_ARENA_MAX"] = "2"
        command = [sys.executable, __file__, "--inside", name, "--seed", str(asked.seed), *["--random"] * asked.random]
        os.environ["FUZZ_OPTIONS"] = json.dumps(options)
    begun = time.monotonic()
    with open(folder / "log", "w+") as log:
        code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
        log.seek(0)
        said = log.read()
    done = [int(n) for n in re.findall(r"^(?:#|Done )(\d+)", said, re.MULTILINE)]
    took = re.findall(r"^Done \d+ runs in (\d+) second", said, re.MULTILINE)
    ended = "no failure" if code == 0 else f"failed ({code}); see {folder.relative_to(ROOT)}"
    return {
        "harness": name,
        "driver": driver(name, asked, said),
        "inputs": max(done, default=0),
        "seconds": int(took[-1]) if took else time.monotonic() - begun,
        "ended": ended,
    }


def driver(name: str, asked: argparse.Namespace, said: str) -> str:
    """Describe the driver of a run, and whether sanitizers were active."""
    if name in NATIVE:
        return "libFuzzer" if asked.bare else "libFuzzer, sanitizers"
    who = "random bytes" if "random bytes" in said else "Atheris"
    return f"{who}, sanitizers" if "libasan" in os.environ.get("LD_PRELOAD", "") else who


def compiled(name: str, is_bare: bool) -> Path | None:
    """Compile a harness in C++ and return the program."""
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
    """Run one harness under Atheris, or with random bytes if Atheris is not installed."""
    try:
        if asked.random:
            raise ImportError
        import atheris
    except ImportError:
        return random_bytes(name, asked)
    with atheris.instrument_imports(include=["vitalfew"]):
        harness = importlib.import_module(name)
    atheris.Setup([name, *json.loads(os.environ["FUZZ_OPTIONS"])], harness.one_input)
    atheris.Fuzz()
    return 0


def random_bytes(name: str, asked: argparse.Namespace) -> int:
    """Run random inputs; the file ``last`` holds the current one, preceded by its length in two bytes."""
    source, options = random.Random(asked.seed), json.loads(os.environ["FUZZ_OPTIONS"])
    inputs, seconds = (int(o.partition("=")[2]) for o in options[:2])
    one_input, at_first = importlib.import_module(name).one_input, 0
    one_input(b"")  # what is set up once is not timed
    if name in LIMITED:
        limit_memory()
        at_first = most_used()
    print("#0 random bytes", flush=True)
    with open(BUILD / name / "last", "w+b") as file:
        file.truncate(PAGE)
        last = mmap.mmap(file.fileno(), PAGE)
    end, n = time.monotonic() + seconds, 0
    while n < inputs and time.monotonic() < end:
        data = source.randbytes(source.randrange(400))
        last[: 2 + len(data)] = len(data).to_bytes(2, "little") + data
        if name in LIMITED:
            faulthandler.dump_traceback_later(SECONDS, exit=True)
        elif n % 1000 == 0:
            faulthandler.dump_traceback_later(600, exit=True)
        try:
            one_input(data)
            assert name not in LIMITED or most_used() < at_first + MEMORY, "too much memory was used"
        except BaseException:
            (BUILD / name / f"failed-{asked.seed}-{n}").write_bytes(data)
            print(f"#{n} failed", flush=True)
            raise
        n += 1
        if n % 10_000 == 0:
            print(f"#{n}", flush=True)
    print(f"Done {n} runs in {time.monotonic() - end + seconds:.0f} seconds")
    return 0


def limit_memory() -> None:
    import resource

    size = int(re.findall(r"VmSize:\s+(\d+) kB", Path("/proc/self/status").read_text())[0]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size + ADDRESSES, size + ADDRESSES))


def most_used() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    sys.exit(main())
