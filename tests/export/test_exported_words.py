"""Words of texts as SQL and as Python source: what `WordPresence` takes for a word, and nothing else."""

import re
import unicodedata

import numpy as np
import pandas as pd
import pytest
from engines import answers, check, difference, in_duckdb, in_python
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from vitalfew import AdaBoost, DecisionTree, LogisticRegression, NaiveBayes, Stump, WordPresence, to_python, to_sql
from vitalfew.encoding.columns import TableColumns

pytest.importorskip("duckdb")

TEXTS = [
    "Win a FREE prize, call now!",
    "it's 10:30, see you at cafe\u0301 Müller",
    "free_prize 4u ½ price ١٢٣ naïve",
    "日本語 テキスト free",
    "İstanbul KELVIN \u212a\u212a İİ",
    "",
    "re-free; FREE\0now call\n\tcall",
    "straße STRASSE ǅungla",
]
MODELS = [NaiveBayes(), LogisticRegression(0.01, penalty="l2"), Stump(), AdaBoost(5), DecisionTree(mdl_weight=None)]


def table(texts):
    return pd.DataFrame({"n": np.arange(float(len(texts))) % 3, "body": texts})


def on_words(model, **options):
    return make_pipeline(ColumnTransformer([("words", WordPresence(**options), "body")]), model)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("lowercase", [True, False])
def test_words_of_a_column(model, lowercase):
    X = table(TEXTS * 3)
    for y in (np.arange(24) % 2, np.arange(24) % 4 % 3):
        check(on_words(model, lowercase=lowercase).fit(X, y), X, engines=("duckdb", "python"))


@settings(max_examples=60)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Cn", "Co"]), max_size=20), min_size=2, max_size=12),
    st.booleans(),
)
def test_any_text_has_the_same_words(texts, lowercase):
    known = ["ab", "is", "str", "ss", "日本", "12", "_a", *(w for t in texts for w in t.split())]
    vocabulary = [w for w in dict.fromkeys(known) if not set(w) & set("σςΣ") and (w == w.lower() or not lowercase)]
    presence = WordPresence(lowercase=lowercase, vocabulary=vocabulary)
    X = table([*texts, *(f"x {t}ab AB-is {t}" for t in texts if not set(t) & set("Σ"))])
    y = np.arange(len(X)) % 2
    model = make_pipeline(ColumnTransformer([("words", presence, "body")]), LogisticRegression(0.1, penalty="l2"))
    check(model.fit(X, y), X, engines=("duckdb", "python"))


def test_lower_case_and_letters_are_those_of_python():
    """Every character alone: the same lower case, and a letter or not, but for those that Python does not know yet."""
    characters = [c for c in map(chr, range(1, 0x110000)) if not 0xD800 <= ord(c) < 0xE000]
    texts = pd.DataFrame({"body": [f"a{c}b" for c in characters]})
    presence = WordPresence(vocabulary=["zz"], dtype=float)
    query = to_sql(make_pipeline(presence, NaiveBayes()).fit(["zz", "no"], [0, 1])).replace('"x0"', '"body"')
    words = query[query.index("regexp_extract_all") : query.index(" AS x0")]
    found = in_duckdb(f"SELECT {words} FROM data AS t", texts)
    for c, text, (listed,) in zip(characters, texts["body"], found):
        if unicodedata.category(c) != "Cn":
            assert listed == re.findall(r"\w\w+", text.lower()), hex(ord(c))


def test_texts_without_a_table():
    y = np.arange(24) % 2
    model = make_pipeline(WordPresence(), NaiveBayes()).fit(TEXTS * 3, y)
    rows = pd.DataFrame({"x0": TEXTS})
    for engine in ("duckdb", "python"):
        found = answers(engine, model, rows)
        np.testing.assert_allclose([line[1:] for line in found], model.predict_proba(TEXTS), atol=1e-12)


def test_columns_of_text_beside_others():
    X = table(TEXTS * 3).assign(color=["red", None, "blue"] * 8)
    X.loc[[3, 5], "body"] = None
    kinds = {"n": "numeric", "body": "text", "color": "category"}
    y = np.arange(24) % 3
    for model in (NaiveBayes(), DecisionTree(mdl_weight=None), AdaBoost(5)):
        fitted = make_pipeline(TableColumns(kinds, max_words=20), model).fit(X, y)
        for engine in ("duckdb", "python"):
            assert difference(fitted, X, answers(engine, fitted, X)) == (pytest.approx(0, abs=1e-12), 0)


def test_missing_text_and_stop_words():
    X = table([*TEXTS * 3])
    y = np.arange(24) % 2
    model = on_words(NaiveBayes(), vocabulary=["free", "you", "call"], stop_words=["you"]).fit(X, y)
    check(model, X, engines=("duckdb", "python"))
    gaps = table([None, ""])
    for found in (in_duckdb(to_sql(model), gaps), in_python(model, gaps)):
        assert list(found[0]) == list(found[1])


def test_words_that_cannot_be_told():
    X, y = table(["ένας λόγος", "δύο λόγια"] * 6), np.arange(12) % 2
    model = on_words(NaiveBayes()).fit(X, y)
    with pytest.raises(ValueError, match="does not lowercase the sigma of 'ένας' as Python does; lowercase the texts"):
        to_sql(model)
    check(model, X, engines=("python",))
    check(on_words(NaiveBayes(), lowercase=False).fit(X, y), X, engines=("duckdb", "python"))
    for dialect in ("sqlite", "postgres"):
        with pytest.raises(ValueError, match=f"in DuckDB and Python, not in {dialect}; use one of these, or fit"):
            to_sql(model, dialect=dialect)
    for options in ({"weighting": "idf"}, {"ngram_range": (1, 2)}):
        with pytest.raises(ValueError, match="with weighting or n-grams cannot be exported"):
            to_python(on_words(LogisticRegression(0.01), **options).fit(X, y))


def test_hostile_words():
    words = ["it's", "'; drop table data; --", "\\", "ab"]
    X, y = table([*words, "ab cd"] * 4), np.arange(20) % 2
    check(on_words(LogisticRegression(0.1, penalty="l2"), vocabulary=words).fit(X, y), X, engines=("duckdb", "python"))
