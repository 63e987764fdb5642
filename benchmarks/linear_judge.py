"""Evaluation of linear solvers: objective, duality gap and the loosest sufficient tolerance, the same for all.

It is no solver's own. The objective and the dual value of every point of a path are computed here from coefficients
alone. The optimum of a penalty is the least objective that any run found, tight runs included. Each solver climbs a
ladder of tolerances in a separate process, with a time limit, up to the first whose worst suboptimality over the path
reaches the target; this tolerance is then timed, ours like the peers', in interleaved repetitions.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import entr, expit

import judge

SCALE = float(os.environ.get("VITALFEW_BENCH_SCALE", "1"))  # a part of the size, to try the cases out
TIGHT_LIMIT_S, LOADING_S = 400.0, 10.0
PATIENCE, LEAST_S, MOST_S = 60, 10.0, 60.0  # time limit of a ladder: this many times ours, within these bounds
QUICK_S, SLOW_S = 2.0, 15.0
TARGETS = {"squared": 1e-6, "logistic": 1e-5}
POINTS_AT_ONCE = 20
OURS, ONE_THREAD = "ours", "ours, one thread"


def sized(n: int, least: int = 40) -> int:
    """Return a number of rows or columns, which is smaller in a trial run."""
    return n if SCALE == 1 else max(int(n * SCALE), min(n, least))


@dataclass(frozen=True)
class Solver:
    """Solver interface: `prepare(*data)`, which is not timed, returns `run(tol)`, which is.

    `ladder` holds its tolerances from loose to tight, `tight` that of a run for the optimum; a solver with no ladder is
    there for the latter alone. `unfit(*data)` says why the solver is not worth running on some data, or nothing.
    `compile_s` is allowed on top of the time limit.
    """

    prepare: Callable[..., Callable[[float], Any]]
    ladder: tuple[float, ...]
    tight: float | None = None
    module: str = "vitalfew"
    package: str = ""
    unfit: Callable[..., str] = lambda *_data: ""
    compile_s: float = 0.0

    @property
    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None


def label(name: str, solver: Solver) -> str:
    """Return the solver's name, with its version unless the circumstances state it."""
    return f"{name}, version {version(solver.package)}" if solver.package else name


def our_solvers(call: Callable[..., Any], ladder: tuple[float, ...], tight: float | None) -> dict[str, Solver]:
    """Return our solver with all threads and with one; `call(*data, tol, n_jobs)` returns the answer."""

    def with_jobs(n_jobs):
        return lambda *data: lambda tol: call(*data, tol=tol, n_jobs=n_jobs)

    return {OURS: Solver(with_jobs(None), ladder, tight), ONE_THREAD: Solver(with_jobs(1), ladder)}


def penalties(X, y, ratio: float, n_points: int, loss: str = "squared") -> np.ndarray:
    """Return geometric penalties from the smallest that selects no feature down to `ratio` times it."""
    largest = np.abs(X.T @ y).max() / (len(y) * (2 if loss == "logistic" else 1))
    return np.geomspace(largest, largest / ratio, n_points)


def bounds(X, y, alphas, coef, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the objective of each row of `coef`, and the dual value at its residuals; the optimum lies between."""
    if coef.shape != (len(alphas), X.shape[1]):
        return np.full(len(alphas), np.inf), np.full(len(alphas), -np.inf)
    of_loss = {"squared": _squared, "logistic": _logistic}[loss]
    found = []
    for begin in range(0, len(alphas), POINTS_AT_ONCE):
        points = slice(begin, begin + POINTS_AT_ONCE)
        w = coef[points].toarray() if sparse.issparse(coef) else np.asarray(coef[points])
        w = np.ascontiguousarray(w.T, dtype=np.float64)
        value, dual = of_loss(X, y, alphas[points], X @ w)
        found.append((value + alphas[points] * np.abs(w).sum(axis=0), dual))
    objective, dual = (np.concatenate(parts) for parts in zip(*found))
    return np.nan_to_num(objective, nan=np.inf), np.nan_to_num(dual, nan=-np.inf)


def _squared(X, y, alphas, prediction):
    """Return half the mean squared residual, and the dual at its best feasible multiple."""
    n = len(y)
    residual = y[:, None] - prediction
    square, product = (residual**2).mean(axis=0), y @ residual / n
    largest = alphas * n / np.maximum(np.abs(X.T @ residual).max(axis=0), 1e-300)
    factor = np.clip(product / np.maximum(square, 1e-300), -largest, largest)
    return square / 2, factor * product - factor**2 * square / 2


def _logistic(X, y, alphas, prediction):
    """Return the mean log loss of labels -1 and 1, and the dual at the error probabilities, scaled to be feasible."""
    margin = y[:, None] * prediction
    wrong = expit(-margin)
    slope = np.abs(X.T @ (y[:, None] * wrong)).max(axis=0) / len(y)
    wrong *= np.minimum(1, alphas / np.maximum(slope, 1e-300))
    return np.logaddexp(0, -margin).mean(axis=0), (entr(wrong) + entr(1 - wrong)).mean(axis=0)


class PathQuality:
    """Quality of a path: the worst relative suboptimality over its points."""

    def __init__(self, loss: str):
        self.loss, self.target = loss, TARGETS[loss]

    def evaluate(self, data, coef) -> dict:
        """Return the stored part of an answer: bounds on the optimum, and the number of active features at the end."""
        X, y, alphas = data
        objective, dual = bounds(X, y, alphas, coef, self.loss)
        last = coef[-1:].toarray() if sparse.issparse(coef) else np.asarray(coef[-1:])
        return {"objective": objective.tolist(), "dual": dual.tolist(), "active": int(np.count_nonzero(last))}

    def merge(self, answers: list[dict]) -> dict:
        """Return the smallest objective and the largest dual value over all answers, for each penalty."""
        objective = np.min([answer["objective"] for answer in answers], axis=0)
        dual = np.max([answer["dual"] for answer in answers], axis=0)
        return {"objective": objective.tolist(), "dual": dual.tolist()}

    def error(self, answer: dict, reference: dict) -> float:
        """Return the largest (P - P*) / P* over the path."""
        optimum = np.array(reference["objective"])
        return float(np.max((np.array(answer["objective"]) - optimum) / optimum))

    def gap(self, answer: dict) -> float:
        """Return the largest relative duality gap over the path, computed from the answer's residuals alone."""
        objective = np.array(answer["objective"])
        return float(np.max((objective - np.array(answer["dual"])) / objective))

    def certificate(self, reference: dict) -> str:
        """Describe how far the optimum can still be, given the dual values of all runs."""
        return f"optimum certified to {self.gap(reference):.0e}"

    def describe(self, answer: dict, reference: dict) -> str:
        error, gap = self.error(answer, reference), self.gap(answer)
        return f"suboptimality {error:.0e}, gap {gap:.0e}, {answer['active']} active"


def tighten(run: Callable[[float], dict], ladder: tuple[float, ...], accept: Callable[[dict], bool]) -> Iterator[dict]:
    """Yield trials of a ladder of tolerances, from loose to tight, up to the first accepted one."""
    for tol in ladder:
        trial = run(tol)
        yield trial
        if accept(trial):
            return


def trials(case: str, data: str, name: str, ladder: tuple[float, ...], reference: dict | None, limit_s: float):
    """Return the trials of a solver in a fresh process that were completed within the time limit."""
    command = [sys.executable, "-W", "ignore", str(Path(__file__)), case, data, name]
    task = json.dumps({"ladder": ladder, "reference": reference})
    options = {"input": task, "capture_output": True, "text": True, "env": judge.environment()}
    try:
        done = subprocess.run(command, timeout=limit_s, **options)
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
        return _read(output.decode() if isinstance(output, bytes) else output), f"stopped at {limit_s:.0f} s"
    problem = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    return _read(done.stdout), f"failed: {problem[0] if problem else done.returncode}" if done.returncode else ""


def _read(output: str) -> list[dict]:
    """Parse the complete lines of a child's output."""
    return [json.loads(line) for line in output.splitlines() if line.startswith('{"tol"') and line.endswith("}")]


def _climb(case: str, data: str, name: str) -> None:
    """Run the ladder in the child process, and print one line per trial."""
    task = json.loads(sys.stdin.read())
    module = importlib.import_module(f"cases.{case}")
    arguments, solver, quality = module.load(data), module.solvers()[name], module.QUALITY
    run = solver.prepare(*arguments)
    if solver.compile_s and task["reference"]:
        run(task["ladder"][0])

    def trial(tol):
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")
        held = judge._status_mb("VmRSS")
        clock, processor = time.perf_counter(), time.process_time()
        answer = run(tol)
        seconds, processor = time.perf_counter() - clock, time.process_time() - processor
        peak = judge._status_mb("VmHWM") - held
        measured = {"tol": tol, "seconds": seconds, "processor": processor, "peak_mb": peak}
        return {**measured, **quality.evaluate(arguments, answer)}

    def accept(trial):
        return task["reference"] is not None and quality.error(trial, task["reference"]) <= quality.target

    for found in tighten(trial, task["ladder"], accept):
        print(json.dumps(found), flush=True)


def usable(solvers: dict[str, Solver], data, title: str) -> dict[str, Solver]:
    """Return the solvers that are installed and suitable for the data; print a line for each of the others."""
    kept = {}
    for name, solver in solvers.items():
        why = "is not installed" if not solver.is_installed else solver.unfit(*data)
        if why:
            print(f"{title}: {name} skipped: {why}")
        else:
            kept[name] = solver
    return kept


def find_reference(case: str, data: str, solvers: dict[str, Solver], quality, title: str) -> dict:
    """Return the optimum found by the tight runs; the ladder runs may still improve it."""
    found = []
    for name, solver in solvers.items():
        if solver.tight is None:
            continue
        done, problem = trials(case, data, name, (solver.tight,), None, TIGHT_LIMIT_S)
        found += done
        print(f"{title}: tight run of {name} {problem or 'done'}")
    if not found:
        raise RuntimeError(f"{title}: no tight run was done in {TIGHT_LIMIT_S:.0f} s.")
    return quality.merge(found)


def compare_solvers(case: str, data: str, title: str) -> list[dict]:
    """Return the rows that compare ours with every solver of a case on one of its data sets."""
    module = importlib.import_module(f"cases.{case}")
    arguments, quality = module.load(data), module.QUALITY
    solvers = usable(module.solvers(), arguments, title)
    reference = find_reference(case, data, solvers, quality, title)
    solvers = {name: solver for name, solver in solvers.items() if solver.ladder}
    done, problems = {}, {}
    patience_s = MOST_S
    for name, solver in solvers.items():
        limit_s = patience_s + LOADING_S + solver.compile_s
        done[name], problems[name] = trials(case, data, name, solver.ladder, reference, limit_s)
        if name == OURS and done[name]:
            patience_s = float(np.clip(PATIENCE * done[name][-1]["seconds"], LEAST_S, MOST_S))
        state = quality.describe(done[name][-1], reference) if done[name] else "no answer"
        print(f"{title}: {name} {state}; {problems[name]}".rstrip("; "), flush=True)
    reference = quality.merge([reference, *(trial for tried in done.values() for trial in tried)])
    last = {name: tried[-1] for name, tried in done.items() if tried}
    for name in (OURS, ONE_THREAD):
        if name not in last:
            raise RuntimeError(f"{title}: {name} gave no answer: {problems[name]}.")
    accepted = {name for name, trial in last.items() if quality.error(trial, reference) <= quality.target}
    times = measure(solvers, last, accepted, arguments)
    memory = {name: peak(case, data, name, last[name]["tol"]) for name in _to_weigh(times, accepted)}
    rows = []
    for name, solver in solvers.items():
        if name == OURS:
            continue
        notes = ["" if name in accepted else problems[name] or "target not reached"]
        if name in last:
            notes += [f"tol {last[name]['tol']:.0e}", quality.describe(last[name], reference)]
        if name == ONE_THREAD:
            notes.append(quality.certificate(reference))
        note = "; ".join(filter(None, notes))
        both = (memory[OURS], memory[name]) if name in memory else (np.nan, np.nan)
        equal = accepted >= {OURS, name}
        spent = times.get(name) or judge.Timing((patience_s,), (patience_s,))
        rows.append(judge.row(title, label(name, solver), times[OURS], spent, equal, note=note, memory=both))
    return rows


def measure(solvers, last, accepted, arguments) -> dict[str, judge.Timing]:
    """Time the solvers at the tolerances found: fast ones many times, slower ones rarely or only in the ladder."""
    calls = {}
    for name in last.keys() & (accepted | {OURS, ONE_THREAD}):
        run, tol = solvers[name].prepare(*arguments), last[name]["tol"]
        calls[name] = lambda run=run, tol=tol: run(tol)
    quick = {name: call for name, call in calls.items() if last[name]["seconds"] <= QUICK_S}
    slower = {name: call for name, call in calls.items() if QUICK_S < last[name]["seconds"] <= SLOW_S}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        times = {**judge.time_calls(quick, repeats=7), **judge.time_calls(slower, repeats=2)}
    for name, trial in last.items():
        if name not in times:
            seconds = min(trial["seconds"], trial["processor"])  # once only, as judge.time_once has it
            times[name] = judge.Timing((seconds,), (trial["processor"],))
    return times


def _to_weigh(times: dict[str, judge.Timing], accepted: set[str]) -> list[str]:
    """Return the solvers whose memory is measured: ours, and the fastest peer that reached the target."""
    peers = sorted(accepted - {OURS, ONE_THREAD}, key=lambda name: times[name].best)
    return [OURS, *peers[:1]]


def peak(case: str, data: str, name: str, tol: float) -> float:
    """Return the peak memory of one solver call in a fresh process, minus the memory before the call."""
    done, _ = trials(case, data, name, (tol,), None, TIGHT_LIMIT_S)
    return done[0]["peak_mb"] if done else np.nan


if __name__ == "__main__":
    sys.path.insert(0, str(judge.HERE))
    _climb(*sys.argv[1:])
