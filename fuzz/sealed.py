"""Fuzz `SealedTest.load` with modified files: a `SealedFileError`, or a set that scores or raises a clear error."""

import hashlib
import io
import json
import marshal
import re
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from inputs import Inputs, holder, paths
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from vitalfew import SealedTest, sealed_split
from vitalfew.exceptions import SealedFileError

N = 24
NUMBERS = [0, 1, -1, 2, 7, N, 255, 2**31 - 1, 2**31, 2**61, 2**63, 10**18, 10**30, 0.5, 1e308, float("nan")]
TYPES = [
    "show_info",
    "int8",
    "float16",
    "object",
    "Sparse[int64, 0]",
    "period[D]",
    "dictionary<",
    "Enum",
    "Null",
    "M8[D]",
]
TEXTS = ["", "x", "0.npy", "1.json", "csc", "frame", "sparse", "objects", "value", "pyarrow", "\ud800", *TYPES]
SCALARS = [None, True, False, *NUMBERS, *TEXTS, [], {}]
DESCRS = [b"<f8", b"<i4", b"<i8", b"|u1", b"|O", b"<U9999999", b"|S1", b"<M8[ns]", b"|V8", b"<c16", b"i4,f8", b"|b1"]
SHAPES = [b"(6,)", b"()", b"(6, 0)", b"(0, 1000000000000000000)", b"(-1,)", b"(9999999999,)", b"(6, 1)", b"((((1))))"]
JSONS = [
    b"[" * 5000,
    b"[1e999]",
    b"[" + b"9" * 5000 + b"]",
    b"[NaN]",
    b"[[1]]",
    b'["\\ud800"]',
    b'["\xff"]',
    b"{}",
    b"",
]
# Errors that a set may raise for a model that cannot read its rows.
REFUSALS = (Exception,)


class Reader(ClassifierMixin, BaseEstimator):
    """Model that reads every value of the rows."""

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        if sparse.issparse(X) and X.shape[1] < 10**5:
            X = X.tocsc().tocsr().toarray()
        elif hasattr(X, "to_pandas"):
            X = X.to_pandas()
        np.asarray(X, dtype=object).ravel().tolist()
        return np.zeros(X.shape[0] if hasattr(X, "shape") else len(X))


@cache
def starts() -> list[tuple[dict, dict[str, bytes], list[tuple]]]:
    """Return manifests of sealed sets with their members, and the paths in the manifests."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "n": np.arange(N) / 3,
            "i": pd.array([None, 1, 2] * (N // 3), dtype="Int64"),
            "t": ["a", None, "ü"] * (N // 3),
            "k": pd.Categorical(["u", "v", None] * (N // 3)),
            "d": pd.date_range("2020", periods=N, tz="UTC"),
        }
    )
    listed = pl.from_pandas(frame.drop(columns="d"))
    tables = [
        rng.normal(size=(N, 2)),
        frame,
        listed,
        listed.to_arrow(),
        sparse.random_array((N, 5), density=0.4, format="csr", random_state=rng),
        sparse.csc_matrix(rng.integers(0, 2, (N, 3))),
        [f"text {i}" for i in range(N)],
        np.array([["a", 1.5, None]] * N, dtype=object),
    ]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for i, X in enumerate(tables):
            y = np.array(["no", "yes"])[np.arange(N) % 2] if i % 2 else np.arange(N) % 2
            more = {"sample_weight": np.linspace(1, 2, N), "groups": np.arange(N) // 3} if i % 3 == 0 else {}
            sealed = sealed_split(X, y, random_state=0, **more)[2]
            sealed.save(Path(folder) / "s")
            with zipfile.ZipFile(Path(folder) / "s") as archive:
                members = {name: archive.read(name) for name in archive.namelist()}
            manifest = json.loads(members.pop("manifest.json"))
            del members["checksum"]
            found.append((manifest, members, paths(manifest["content"], ("content",))))
    return found


def change(manifest: dict, known: list[tuple], inputs: Inputs) -> None:
    path = inputs.choice(known)
    place, key = holder(manifest, path), path[-1]
    if place is None:
        return
    how = inputs.below(5)
    if how == 0:
        place[key] = marshal.loads(marshal.dumps(inputs.choice(SCALARS)))
    elif how == 1:
        path = inputs.choice(known)
        other = holder(manifest, path)
        place[key] = None if other is None else marshal.loads(marshal.dumps(other[path[-1]]))
    elif how == 2:
        place.pop(key)
    elif how == 3 and isinstance(place, list):
        place.append(marshal.loads(marshal.dumps(place[key])))
    else:
        place[key] = inputs.text(10)


def spoil(members: dict[str, bytes], inputs: Inputs) -> None:
    """Change the header, numbers or text of a member, or add or remove a member."""
    name = inputs.choice(sorted(members))
    data, how = members[name], inputs.below(8)
    if how == 0:
        del members[name]
    elif how == 1:
        members[inputs.choice(["99.npy", "99.json", "../x", "0.npy"])] = data
    elif how == 2:
        members[name] = members[inputs.choice(sorted(members))]
    elif name.endswith(".json"):
        members[name] = inputs.choice(JSONS) if how < 6 else data[: inputs.below(len(data) + 1)]
    elif how == 3:
        members[name] = re.sub(rb"'descr': '[^']*'", b"'descr': '" + inputs.choice(DESCRS) + b"'", data)
    elif how == 4:
        members[name] = re.sub(rb"'shape': \([^)]*\)", b"'shape': " + inputs.choice(SHAPES), data)
    else:
        raw, at = bytearray(data), inputs.whole(2) % len(data) if how == 5 else 128 + 4 * inputs.below(12)
        raw[at : at + 4] = inputs.some(inputs.choice([1, 4, 4, 8]))
        members[name] = bytes(raw)


def archived(manifest: dict, members: dict[str, bytes]) -> bytes:
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    raw = json.dumps({**manifest, "members": sums}).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**members, "manifest.json": raw, "checksum": hashlib.sha256(raw).hexdigest()}.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def damaged(raw: bytes, inputs: Inputs) -> bytes:
    """Change bytes of the archive, near its directory at the end or anywhere."""
    found = bytearray(raw)
    for _ in range(1 + inputs.below(3)):
        at = max(0, len(found) - 1 - inputs.below(1000)) if inputs.below(2) else inputs.whole(2) % len(found)
        found[at : at + inputs.choice([0, 1, 1, 2, 4, 9999])] = inputs.some(inputs.choice([1, 1, 2, 4]))
        if not found:
            break
    return bytes(found)


def one_input(data: bytes) -> None:
    inputs = Inputs(data)
    whole, kept, known = inputs.choice(starts())
    manifest, members = marshal.loads(marshal.dumps(whole)), dict(kept)
    how = inputs.below(8)
    for _ in range(inputs.below(4) if how > 1 else 0):
        change(manifest, known, inputs)
    for _ in range(inputs.below(3) if how > 1 and how % 2 else 0):
        if members:
            spoil(members, inputs)
    raw = archived(manifest, members)
    if how < 2:
        raw = damaged(raw, inputs)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "s"
        path.write_bytes(raw)
        try:
            sealed = SealedTest.load(path)
        except SealedFileError as error:
            assert str(error), "an error without a message"
            assert not isinstance(error.__context__, MemoryError), "memory was asked for that a file does not need"
            return
        before = sealed.n_openings
        try:
            sealed.score(Reader())
        except REFUSALS:
            return
        assert SealedTest.load(path).n_openings == before + 1
