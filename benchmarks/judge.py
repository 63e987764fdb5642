"""Measurement of times, memory and circumstances, the same for ours and for every peer.

Repetitions of both are interleaved in one process, so that other work on the machine hits both. Peak memory is that of
one call in a separate process, above what the process held before the call.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared" / "data"
CACHE = Path(tempfile.gettempdir()) / "vitalfew-benchmarks"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")
THREADS = 2
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PROCESSORS = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None


@dataclass(frozen=True)
class Timing:
    """Wall and processor seconds of the repetitions of one call; processor time is summed over threads."""

    seconds: tuple[float, ...]
    processor: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def best_processor(self) -> float:
        return min(self.processor)

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def spread(self) -> float:
        """Interquartile range divided by the median."""
        low, high = np.percentile(self.seconds, [25, 75])
        return float((high - low) / self.median)


def time_calls(
    calls: dict[str, Callable[[], Any]], repeats: int = 5, warm_up: bool = True, await_idle: bool = True
) -> dict[str, Timing]:
    """Time interleaved repetitions of several calls; the first call of each is not counted."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for repeat in range(-1 if warm_up else 0, repeats):
        for name, call in calls.items():
            if await_idle:
                _await_idle()
            passed, _ = _time(call)
            if repeat >= 0:
                seconds[name].append(passed)
    return {name: Timing(*zip(*both)) for name, both in seconds.items()}


def time_once(call: Callable[[], Any]) -> tuple[Timing, Any]:
    """Time a single slow call, and return its result.

    Its time is that of the processor where this is less: a call that cannot be repeated must not pay for other work.
    """
    (clock, processor), result = _time(call)
    return Timing((min(clock, processor),), (processor,)), result


def in_child(function: Callable[..., Any], *arguments) -> Any:
    """Return the result of a function in a separate process, or None if that process dies."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(function(*arguments)))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return None
    finally:
        child.join()


def _await_idle(limit_s: float = 1.5, wanted: float = 0.8) -> None:
    """Wait until the machine is mostly idle, up to a time limit."""
    end = time.perf_counter() + limit_s
    while time.perf_counter() < end:
        before = _processor_ticks()
        time.sleep(0.1)
        idle, total = (now - then for now, then in zip(_processor_ticks(), before))
        if idle >= wanted * total:
            return


def _processor_ticks() -> tuple[int, int]:
    """Return the idle and total ticks of all processors since the machine started."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return ticks[3], sum(ticks)


def _time(call: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    gc.collect()
    if PROCESSORS is not None:  # once imported, adelie binds the main thread to one processor
        os.sched_setaffinity(0, PROCESSORS)
    clock, processor = time.perf_counter(), time.process_time()
    result = call()
    return (time.perf_counter() - clock, time.process_time() - processor), result


def row(case: str, peer: str, ours: Timing, theirs: Timing, equal: bool, *, scale: float = 1.0, note: str = "",
        memory: tuple[float, float] = (np.nan, np.nan)) -> dict:  # fmt: skip
    """Return a line of the results; `scale` multiplies the peer's time if only a part of its work was run."""
    return {
        "case": case,
        "peer": peer,
        "ours_s": ours.best,
        "peer_s": scale * theirs.best,
        "ratio": scale * theirs.best / ours.best,
        "equal": bool(equal),
        "ours_peak_mb": memory[0],
        "peer_peak_mb": memory[1],
        "note": note,
        "ours_median_s": ours.median,
        "peer_median_s": scale * theirs.median,
        "processor_ratio": scale * theirs.best_processor / ours.best_processor,
        "ours_spread": ours.spread,
        "peer_spread": theirs.spread,
        "repeats": min(len(ours.seconds), len(theirs.seconds)),
        "load": os.getloadavg()[0],
    }


def peak_mb(case: str, data: str, function: str) -> float:
    """Return the peak memory of `function(*load(data))` above the memory before the call, in a fresh process."""
    command = [sys.executable, "-W", "ignore", str(HERE / "judge.py"), case, data, function]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    return json.loads(done.stdout.splitlines()[-1])


def environment() -> dict[str, str]:
    """Return the environment of a child process with the same number of threads."""
    return {**os.environ, **{name: str(THREADS) for name in THREAD_VARIABLES}}


def _measure_peak(case: str, data: str, function: str) -> float:
    module = importlib.import_module(f"cases.{case}")
    arguments = module.load(data)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # reset the high-water mark to the current usage
    held = _status_mb("VmRSS")
    result = getattr(module, function)(*arguments)
    peak = _status_mb("VmHWM") - held
    del result
    return peak


def _status_mb(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def machine() -> str:
    """Describe processor, cores, memory and system, without identifying the machine."""
    fields = dict(
        (part.strip() for part in line.split(":", 1))
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if ":" in line
    )
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 2**20
    model = f"{fields.get('model name', 'unknown')} (family {fields.get('cpu family', '?')})"
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}, {THREADS} threads"


def versions() -> str:
    """Return the versions of Python and of the compared libraries."""
    named = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"vitalfew {version('vitalfew')} at commit {commit()}, Python {platform.python_version()}, {named}"


def commit() -> str:
    """Return the short hash of the measured commit."""
    command = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    print(json.dumps(_measure_peak(*sys.argv[1:])))
