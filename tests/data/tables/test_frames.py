"""Tables at the boundary: every kind gives the same model, and errors name the column, the row and the remedy."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from vitalfew import Counts, NaiveBayes
from vitalfew.data.tables.frames import NumberedNames, read_table

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, (40, 4)).astype(float)
CODES[::7, 1] = np.nan
Y = (CODES[:, 0] > 0) ^ (RNG.random(40) < 0.2)
WORDS = np.array(["low", "mid", "top"])
BINARY = RNG.integers(0, 2, (40, 4))


def probability(X, y=Y):
    return NaiveBayes().fit(X, y).predict_proba(X)


EXPECTED = probability(CODES)


def words(missing=None):
    return np.where(np.isnan(CODES), missing, WORDS[np.nan_to_num(CODES).astype(int)].astype(object))


def columns(values):
    return {f"f{j}": list(values[:, j]) for j in range(values.shape[1])}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_integers_that_are_equal_as_floats_are_refused(make):
    values = [10**25 + i for i in range(4)]
    frame = make({"x": values} if make is pd.DataFrame else {"x": pl.Series(values, dtype=pl.Int128)})
    with pytest.raises(ValueError, match=r"column .x. .* beyond 2\*\*53, such as 10{24}3.*astype\(str\)"):
        read_table(frame)
    apart = [10**25 * i for i in range(4)]
    frame = make({"x": apart} if make is pd.DataFrame else {"x": pl.Series(apart, dtype=pl.Int128)})
    np.testing.assert_array_equal(read_table(frame).column(0), np.array(apart, dtype=float))


@pytest.mark.parametrize(
    "X",
    [
        CODES.tolist(),
        tuple(map(tuple, CODES)),
        CODES.astype(np.float32),
        CODES.astype(np.float16),
        CODES.astype(np.longdouble),
        CODES.astype(">f8"),
        CODES.astype(object),
        np.asfortranarray(CODES),
        np.repeat(CODES, 2, axis=0)[::2],
        np.repeat(CODES, 2, axis=1)[:, ::2],
        CODES[::-1][::-1],
        np.repeat(np.repeat(CODES, 2, axis=1), 3, axis=0)[::3, ::2],
        words(),
        words(np.nan),
        words(pd.NA),
        words().tolist(),
        pd.DataFrame(CODES, columns=list("abcd")),
        pd.DataFrame(CODES, columns=list("abcd")).astype("Int64"),
        pd.DataFrame(CODES, columns=list("abcd")).astype("Float32"),
        pd.DataFrame(CODES, columns=list("abcd")).astype("category"),
        pd.DataFrame(CODES, columns=list("abcd")).astype("int64[pyarrow]"),
        pd.DataFrame(words(), columns=list("abcd")),
        pd.DataFrame(words(pd.NA), columns=list("abcd")),
        pd.DataFrame(words(), columns=list("abcd")).astype("string"),
        pd.DataFrame(words(), columns=list("abcd")).astype("category"),
        pd.DataFrame(words(), columns=list("abcd"), index=RNG.permutation(40)),
        pl.DataFrame(columns(words())),
        pl.DataFrame(columns(words()), schema_overrides={"f0": pl.Categorical, "f1": pl.Enum(WORDS)}),
        pl.DataFrame(columns(np.where(np.isnan(CODES), None, CODES)), strict=False),
        pl.DataFrame(columns(CODES)),
        pl.DataFrame(columns(CODES)).with_columns(pl.col("f0").cast(pl.UInt8)),
        pa.table(columns(words())),
        pa.table(columns(CODES)),
        pa.table(columns(words())).set_column(0, "f0", pa.array(words()[:, 0].tolist()).dictionary_encode()),
        pa.table({k: [None if v != v else decimal.Decimal(int(v)) for v in c] for k, c in columns(CODES).items()}),
    ],
    ids=lambda X: f"{type(X).__module__.split('.')[0]}-{getattr(X, 'dtype', '')}",
)
def test_every_kind_of_table_gives_the_same_model(X):
    np.testing.assert_allclose(probability(X), EXPECTED, rtol=1e-12)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, bool, ">i4"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_kind_of_number(dtype, order):
    X = np.array(BINARY, dtype=dtype, order=order)
    np.testing.assert_array_equal(probability(X), probability(BINARY))
    strided = np.repeat(np.repeat(X, 2, axis=1), 2, axis=0)[::2, ::2]
    np.testing.assert_array_equal(probability(strided), probability(BINARY))
    np.testing.assert_array_equal(probability(X[::-1], Y[::-1])[::-1], probability(BINARY))


def test_read_only_and_mapped_arrays(tmp_path):
    X = CODES.copy()
    X.flags.writeable = False
    np.testing.assert_array_equal(probability(X), EXPECTED)
    np.save(tmp_path / "x.npy", CODES)
    np.testing.assert_array_equal(probability(np.load(tmp_path / "x.npy", mmap_mode="r")), EXPECTED)


def test_inputs_are_not_changed():
    X, S = CODES.copy(), unsorted()
    before = S.copy()
    NaiveBayes(features="mdl").fit(X, Y).predict(X)
    np.testing.assert_array_equal(X, CODES)
    NaiveBayes(features="mdl").fit(S, Y).predict(S)
    np.testing.assert_array_equal(S.indices, before.indices)
    np.testing.assert_array_equal(S.data, before.data)


def unsorted():
    S = sparse.csr_array(BINARY.astype(float))
    for i in range(S.shape[0]):
        line = slice(S.indptr[i], S.indptr[i + 1])
        S.indices[line] = S.indices[line][::-1]
    S.has_sorted_indices = False
    return S


def duplicates():
    rows, cols = np.nonzero(BINARY)
    return sparse.coo_array((np.ones(2 * len(rows)), (np.tile(rows, 2), np.tile(cols, 2))), shape=BINARY.shape)


def cancelling():
    """Entries that add up to 0."""
    rows, cols = np.nonzero(BINARY)
    zero = np.argwhere(BINARY == 0)[:5]
    data = np.concatenate([np.ones(len(rows)), np.ones(5), -np.ones(5)])
    place = (np.concatenate([rows, zero[:, 0], zero[:, 0]]), np.concatenate([cols, zero[:, 1], zero[:, 1]]))
    return sparse.coo_array((data, place), shape=BINARY.shape)


def explicit_zeros():
    S = sparse.csr_array(np.ones(BINARY.shape))
    S.data[:] = BINARY.ravel()
    return S


def wide_indices():
    S = sparse.csr_array(BINARY)
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    return S


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_every_kind_of_sparse_matrix(kind, family):
    X = getattr(sparse, f"{kind}_{family}")(BINARY)
    np.testing.assert_allclose(probability(X), probability(BINARY), rtol=1e-12)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64])
def test_sparse_values_only_say_present(dtype):
    X = sparse.csr_array((BINARY * 3).astype(dtype))
    np.testing.assert_allclose(probability(X), probability(BINARY), rtol=1e-12)


@pytest.mark.parametrize("make", [unsorted, duplicates, cancelling, explicit_zeros, wide_indices])
def test_untidy_sparse_matrices(make):
    np.testing.assert_allclose(probability(make()), probability(BINARY), rtol=1e-12)


def test_empty_rows_and_columns():
    X = sparse.csr_array((4, 3))
    np.testing.assert_allclose(NaiveBayes().fit(X, [0, 1, 1, 1]).predict_proba(X), [[0.25, 0.75]] * 4)


@pytest.mark.parametrize("dtype", ["boolean", "bool", "bool[pyarrow]"])
def test_booleans(dtype):
    frame = pd.DataFrame(BINARY > 0).astype(dtype)
    frame.columns = list("abcd")
    np.testing.assert_array_equal(probability(frame), probability(BINARY))


def test_missing_booleans():
    frame = pd.DataFrame({"a": pd.array([True, False, None, True], dtype="boolean")})
    counts = Counts.from_data(frame, [0, 0, 1, 1])
    np.testing.assert_array_equal(counts.table, [[1, 0], [1, 1]])
    assert counts.has_missing.all()


@pytest.mark.parametrize("dtype", ["category", pd.CategoricalDtype(range(100))])
def test_categories_that_are_numbers_are_not_cut(dtype):
    x = np.arange(100) % 50
    counts = Counts.from_data(pd.DataFrame({"zip": pd.Series(x, dtype=dtype)}), x % 2)
    assert counts.n_values.tolist() == [50]


def test_names():
    frame = pd.DataFrame(CODES, columns=list("abcd"))
    assert read_table(frame).names == list("abcd")
    assert read_table(pd.DataFrame(CODES)).names == ["0", "1", "2", "3"]
    assert list(read_table(CODES).names) == ["x0", "x1", "x2", "x3"]
    assert NumberedNames(3)[-1] == "x2"
    assert NumberedNames(3)[1:] == ["x1", "x2"]
    assert NumberedNames(3) == NumberedNames(3) != NumberedNames(4)
    with pytest.raises(IndexError):
        NumberedNames(3)[3]


# What is refused


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((0, 3)), "minimum of 1 is required"),
        (np.zeros((3, 0)), "0 feature"),
        (np.zeros(3), "Expected 2D array"),
        (np.zeros((2, 2, 2)), r"dim 3|3 dimensions|expected <= 2"),
        (np.zeros((2, 2)) * 1j, "Complex data not supported"),
        (sparse.csr_array((0, 3)), "minimum of 1 is required"),
        (sparse.csr_array((3, 0)), "0 feature"),
        pytest.param(
            sparse.coo_array([1, 0, 1]),
            "Expected 2D array",
            marks=pytest.mark.skipif(sparse.coo_array([1]).ndim == 2, reason="SciPy before 1.13 has no sparse vectors"),
        ),
        (sparse.csr_array([[1j, 0]]), "Complex data not supported"),
        (sparse.csr_array([[0.0, 1.0], [0.0, np.nan]]), r"NaN or infinity \(row 1, column 1\).*dense"),
        (sparse.csr_array([[0.0, np.inf]]), r"NaN or infinity \(row 0, column 1\)"),
        (pd.DataFrame({"a": []}), "minimum of 1 is required"),
        (pd.DataFrame(index=[0, 1]), "0 feature"),
        (pl.DataFrame({"a": []}), "minimum of 1 is required"),
        (np.array([[0, 1], [0, np.inf]]), "column 'x1', row 1.*Replace it by a finite number, or by NaN"),
        (np.array([[0, 1], [0, -np.inf]], dtype=np.float32), "column 'x1', row 1"),
        (pd.DataFrame({"size": [1.0, 2.0, np.inf]}), "column 'size', row 2"),
        (pl.DataFrame({"size": [1.0, None, -np.inf]}), "column 'size', row 2"),
    ],
)
def test_bad_values(X, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayes().fit(X, np.arange(X.shape[0]) % 2)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-02"])}), "column 'day'.*convert dates to numbers"),
        (pl.DataFrame({"day": [datetime.date(2024, 1, 1)] * 2}), "column 'day'.*convert dates to numbers"),
        (pl.DataFrame({"long": [datetime.timedelta(1)] * 2}), "column 'long'.*convert dates to numbers"),
        (pa.table({"tags": [["u"], ["v", "w"]]}), "column 'tags'.*expand it into separate columns"),
        (pl.DataFrame({"point": [{"x": 1}, {"x": 2}]}), "column 'point'.*expand it into separate columns"),
        (pd.DataFrame({"a": ["u", b"v"]}), "column 'a', row 1 contains a bytes"),
        (np.array([["u"], [{}]], dtype=object), "column 'x0', row 1 contains a dict"),
        (np.array([["2024-01-01"], ["2024-01-02"]], dtype="datetime64[D]"), "column 'x0'"),
    ],
)
def test_bad_types(X, message):
    with pytest.raises(TypeError, match=message):
        NaiveBayes().fit(X, [0, 1])


@pytest.mark.parametrize("X", [None, 3, "text", object(), lambda: 0])
def test_what_is_no_table(X):
    with pytest.raises((ValueError, TypeError)):
        NaiveBayes().fit(X, [0, 1])


def test_two_columns_of_one_name():
    with pytest.raises(ValueError, match=r"[Dd]uplicate|unique"):
        NaiveBayes().fit(pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), [0, 1])


def test_lazy_frames_are_refused():
    with pytest.raises(TypeError, match="collect it first"):
        NaiveBayes().fit(pl.DataFrame(columns(CODES)).lazy(), Y)


def test_sparse_out_of_bounds_is_refused():
    S = sparse.csr_array(np.eye(3))
    S.indices[0] = 9
    with pytest.raises(ValueError, match="out of bounds"):
        NaiveBayes().fit(S, [0, 1, 1])
