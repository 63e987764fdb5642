"""Names that are equal for a database: `to_sql` rejects them, per dialect; all others give the right numbers."""

import numpy as np
import pandas as pd
import pytest
from engines import ENGINES, POSTGRES, check, in_duckdb, in_sqlite
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vitalfew import LogisticRegression, NaiveBayes, Ridge, to_sql

pytest.importorskip("duckdb")
SAME = "are the same in"
LONG = "é" * 31 + "x"  # 63 bytes


def table(names, n=24):
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(n, len(names))), columns=names)


def regressor(names):
    X = table(names)
    return Ridge(0.0).fit(X, X.to_numpy() @ np.arange(1.0, 1 + len(names))), X


@pytest.fixture
def server(postgres):
    POSTGRES["address"] = postgres


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_names_that_differ_in_case(dialect):
    model, _ = regressor(["a", "b", "A"])
    with pytest.raises(ValueError, match=f"columns 'a' and 'A' {SAME} .*; rename one of them"):
        to_sql(model, dialect=dialect)
    X = table(["a", "A"])
    unused = NaiveBayes(features=1).fit(X, X["A"] > 0)  # the table has the other one all the same
    with pytest.raises(ValueError, match=f"'a' and 'A' {SAME}"):
        to_sql(unused, dialect=dialect)
    with pytest.raises(ValueError, match=f"'a' and 'A' {SAME}"):
        to_sql(regressor(["a", "b"])[0], dialect=dialect, keep=["A"])


@pytest.mark.usefixtures("server")
def test_case_is_told_apart_in_postgres():
    model, X = regressor(["a", "A", "ä", "Ä"])
    check(model, X, engines=("postgres", "python"))


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("names", [["ä", "Ä"], ["ı", "I", "i\u0307"], ["ß", "SS"], ["k", "\u212a"], ["é", "e\u0301"]])
def test_only_letters_of_ascii_are_folded(names):
    check(*regressor(names), engines=("duckdb", "sqlite", "postgres", "python"))


@pytest.mark.usefixtures("server")
def test_postgres_cuts_names():
    model, X = regressor([LONG + "1", LONG + "2"])
    check(model, X, engines=("duckdb", "sqlite", "python"))
    with pytest.raises(ValueError, match=f"x1' and 'é.*x2' {SAME} PostgreSQL, which truncates names to 63 bytes"):
        to_sql(model, dialect="postgres")
    check(*regressor([LONG + "123", "b"]), engines=("postgres",))
    with pytest.raises(ValueError, match=SAME):
        to_sql(regressor(["é" * 40, "é" * 31])[0], dialect="postgres")


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_outputs_have_names_of_their_own(dialect):
    X = table(["x", "y"])
    model = LogisticRegression(0.01).fit(X, np.array(["a", "A"])[(X["x"] > 0).astype(int)])
    if dialect == "postgres":
        to_sql(model, dialect=dialect)
    else:
        with pytest.raises(
            ValueError, match=f"'probability_A' and 'probability_a' of the result {SAME}.*output='prediction'"
        ):
            to_sql(model, dialect=dialect)
    to_sql(model, dialect=dialect, output="prediction")
    for keep, message in ((["prediction"], "'prediction'"), (["id", "id"], "'id'"), (["probability_a"], "'probab")):
        with pytest.raises(ValueError, match=f"{message}.*{SAME}.*rename"):
            to_sql(
                model, dialect=dialect, keep=keep, output="prediction" if keep[0] == "prediction" else "probabilities"
            )
    long = LogisticRegression(0.01).fit(X, np.array(["c" * 60 + "1", "c" * 60 + "2"])[(X["x"] > 0).astype(int)])
    if dialect == "postgres":
        with pytest.raises(ValueError, match=SAME):
            to_sql(long, dialect=dialect)


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("name", ["vitalfew_0", "VITALFEW_1", "vitalfew_", "vitalfew__0", "t", "x0", "given"])
def test_tables_of_any_name(name):
    check(*regressor(["x0", "k0", "s0"]), engines=("duckdb", "sqlite", "postgres"), name=name)


NAMES = st.lists(
    st.text(st.sampled_from("aAäÄk\u212aı'\""), min_size=1, max_size=2), min_size=2, max_size=6, unique=True
)


def folded(name):
    return "".join(c.lower() if c.isascii() else c for c in name)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(NAMES)
def test_names_of_all_kinds(names):
    """The engines decide: either a table with these names can be created, or the model is rejected."""
    model, X = regressor(names)
    for dialect in ("duckdb", "sqlite"):
        if len(set(map(folded, names))) < len(names):
            with pytest.raises(ValueError, match=SAME):
                to_sql(model, dialect=dialect)
        else:
            check(model, X, engines=(dialect,))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(NAMES)
def test_names_of_all_kinds_in_postgres(server, names):
    check(*regressor(names), engines=("postgres",))


@pytest.mark.parametrize("run", [in_duckdb, in_sqlite])
def test_keys_come_first_under_their_names(run):
    model, X = regressor(["a", "b"])
    X["ID"] = np.arange(len(X))
    dialect = next(name for name, engine in ENGINES.items() if engine is run)
    rows = run(to_sql(model, dialect=dialect, keep=["ID", "a"]), X)
    assert [row[0] for row in rows] == X["ID"].tolist()
    np.testing.assert_allclose([row[2] for row in rows], model.predict(X[["a", "b"]]))
