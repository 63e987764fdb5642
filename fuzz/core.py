"""Fuzz the compiled module with corrupted arguments: no crash, no hang, bounded memory, and clear errors.

Each input begins with a call that works (`core_calls.py`) and says what is spoilt: lengths, strides, kinds, numbers.
"""

import resource
import signal
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
from core_calls import VALUES, N, Request, built, calls
from inputs import Inputs

from vitalfew import _core

ERRORS = (ValueError, TypeError, MemoryError, OverflowError)
SECONDS = 2.0  # of processor time; valid calls take less than a thousandth of it
MEMORY = 8 << 30
SMALL = [0, 1, -1, 2, 3, N - 1, N, N + 1, 24, 63, 127, 255, 2**15]
LARGE = [2**31 - 1, -(2**31), 2**31, 2**32, 2**61, 2**62, 2**63 - 1]
WHOLE = SMALL + LARGE
# What may rightly be asked for in any number takes its time: of rounds there are few, of others few or far too many.
FEW = [0, 1, -1, 2, 3, N]
LIMITED = {"rounds": [*FEW, 300], "steps": [*FEW, 300], "n_classes": FEW + LARGE, "n_points": FEW + LARGE}
REAL = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0, 0.0, 1.0, -1.0, 0.5, 2.0, 1e154, 1e-160, -1e-9, 1e30]
TEXTS = ["", "the cat", "a b a ab", "ΑΣ İx", "\ud800 ab", "日本 ab", "x" * 70, "\0ab_", 7, None, b"ab"]
LISTS = [b"thecatab", b"", b"abababab", "ΑΣ日".encode(), b"\xff\xfe\x80"]
# What may be there instead of nothing.
OTHER = {"group": VALUES["group"].astype(np.int32), "grid": VALUES["grid"]}


def number(inputs: Inputs, dtype: np.dtype):
    if dtype.kind == "f":
        return inputs.choice(REAL)
    return np.array(inputs.choice(WHOLE) % 2**64, dtype=np.uint64).astype(dtype)


def other_array(a: np.ndarray, inputs: Inputs, rest: list):
    how = inputs.below(12)
    if how < 5:
        a = a.copy(order="K")
        for _ in range(1 + (inputs.below(4) if how < 2 else 0) if a.size else 0):
            a[np.unravel_index(inputs.below(a.size), a.shape)] = number(inputs, a.dtype)
        return a
    if how == 5:
        return a[: inputs.choice([0, 1, -1])]
    if how == 6:
        return np.array(
            np.resize(a, (len(a) + inputs.choice([1, 1, len(a)]), *a.shape[1:])), order="F" if a.ndim > 1 else "C"
        )
    if how == 7 and a.ndim == 2:
        return inputs.choice([a[:, :0], a[:0], a[:, :1], a[:, :-1].copy(order="F"), a.T, a[:, ::-1], a[::2, ::2]])
    if how == 7:
        return inputs.choice([a[::-1], a[::2], a[:, None], np.repeat(a[:1], len(a)), a[0] if a.size else a])
    if how == 8:
        arrays = [v for v in rest if isinstance(v, np.ndarray)]
        return inputs.choice(arrays).astype(a.dtype) if arrays else None
    if how == 9:
        return inputs.choice(
            [None, a.astype(inputs.choice(["f4", "f8", "i8", "O", "u1"])), a.tolist(), a.astype(">f8")]
        )
    if how == 10:
        return np.full_like(a, number(inputs, a.dtype))
    return np.sort(a, axis=None).reshape(a.shape)[::-1].copy()


def spoilt(key: str, value, inputs: Inputs, rest: list):
    if value is None and key in OTHER:
        return OTHER[key]
    if isinstance(value, np.ndarray):
        return other_array(value, inputs, rest)
    if isinstance(value, Request):
        return Request(value.kind, spoil(value.given, inputs))
    if isinstance(value, tuple | list) and value:
        made, i = list(value), inputs.below(len(value))
        made[i] = spoilt("", made[i], inputs, rest)
        return type(value)(made[: inputs.choice([None, None, None, -1, 0])])
    if isinstance(value, float):
        return inputs.choice(REAL)
    if isinstance(value, int) and not isinstance(value, bool):
        return inputs.choice(LIMITED.get(key, [*WHOLE, 2**64 - 1, 2**64, None]))
    kind = type(value)
    return (
        inputs.choice([*kind, None]) if kind.__module__ == _core.__name__ else inputs.choice([True, False, None, "x"])
    )


def spoil(given: list[tuple[str, object]], inputs: Inputs) -> list[tuple[str, object]]:
    given = list(given)
    for _ in range(1 + inputs.below(3)):
        i = inputs.below(len(given))
        key, value = given[i]
        given[i] = key, spoilt(key, value, inputs, [v for _, v in given])
    return given


def words_of(inputs: Inputs) -> _core.WordTable:
    text = np.frombuffer(inputs.choice(LISTS), dtype=np.uint8)
    start = np.linspace(0, len(text), 1 + inputs.below(5)).astype(np.int64)
    if inputs.below(4) == 0:
        start = other_array(start, inputs, [])
    return _core.WordTable(text, start)


def use_words(inputs: Inputs) -> None:
    """Call methods of `WordRows` in any order; an error of one does not end the others."""
    low = inputs.choice([1, 1, 1, 2, 0, 2**63])
    high = inputs.choice([low, low, low + 1, 3, 0, 2**31])
    given = None if inputs.below(2) else words_of(inputs)
    rows = _core.WordRows(
        inputs.below(2) == 1, low, high, inputs.below(4) > 0, words_of(inputs), given, inputs.choice([1, 1, 1, 2, -1])
    )
    raw = np.frombuffer(b"the cat \xce\x91 ab \xed\xa0\x80 ab", dtype=np.uint8)
    columns = np.arange(4, dtype=np.int32)
    for _ in range(1 + inputs.below(8)):
        how = inputs.below(6)
        try:
            if how == 0:
                rows.add_strings([inputs.choice(TEXTS) for _ in range(inputs.below(5))])
            elif how == 1:
                rows.add_utf8(raw, other_array(np.array([0, 8, 20, len(raw)]), inputs, []))
            elif how == 2:
                rows.merge()
            elif how == 3:
                rows.words(other_array(columns[: inputs.below(5)], inputs, []))
            elif how == 4:
                own = np.arange(len(rows.counts()), dtype=np.int32)
                rows.rows(own if inputs.below(2) else other_array(own, inputs, []), inputs.choice([len(own), *WHOLE]))
            else:
                assert len(rows.counts()) >= 0 and rows.n_documents >= 0
        except ERRORS as error:
            assert str(error) or isinstance(error, MemoryError), "an error without a message"


def too_long(*_) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds")


@cache
def has_sanitizers() -> bool:
    """Return True under sanitizers, which map more memory than any limit and have their own limit."""
    return sys.platform == "linux" and "libasan" in Path("/proc/self/maps").read_text()


@contextmanager
def limits():
    """Limit memory (`MemoryError`) and time (`TimeoutError`, where the kernel checks for cancellation)."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    if not has_sanitizers():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def one_input(data: bytes) -> None:
    inputs, known = Inputs(data), calls()
    which = inputs.whole(2) % (len(known) + 8)
    with limits(), np.errstate(all="ignore"):
        try:
            if which >= len(known):
                use_words(inputs)
            else:
                name, given = known[which]
                getattr(_core, name)(**{key: built(value) for key, value in spoil(given, inputs)})
        except ERRORS as error:
            assert str(error) or isinstance(error, MemoryError), "an error without a message"
