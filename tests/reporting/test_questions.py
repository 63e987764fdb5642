"""The report finds what was planted, says so where there is nothing, and refuses what cannot be reported on."""

import json
import re
from importlib.resources import files

import example_facts
import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from planted import four_questions as planted
from small_answers import with_few_learners
from vitalfew import Report, report
from vitalfew.data.tables.column_kinds import recognize
from vitalfew.reporting import table
from vitalfew.reporting.questions.how_many import false_bound, similarity
from vitalfew.reporting.questions.recommended import MOST_NAMED, _answer
from vitalfew.reporting.summary import summary_lines

SCHEMA = json.loads(files("vitalfew.reporting.render").joinpath("schema.json").read_text())


def made(X, y, **options) -> Report:
    found = report(X, y, **{"progress": False, "time_budget": 4, **options})
    jsonschema.validate(json.loads(found.to_json()), SCHEMA)
    check_agreement(found)
    return found


def check_agreement(found: Report) -> None:
    """All answers are views of one table, so none contradicts another."""
    facts = found.facts
    said, card = facts["recommended"], facts["card"]
    few = said["few"]
    k = few["n_features"]
    assert said["verdict"] == facts["verdict"]
    assert (facts["verdict"] == "cannot tell") == facts["nothing_here"]
    assert facts["how_many"]["answer"] == said["answer"] == facts["headline"][0]
    assert re.search(rf"\b{k:,} features? of {said['n_features']:,}\b", facts["headline"][0])
    assert len(found.features) == min(k, MOST_NAMED)
    assert found.features == few["features"]
    (chosen,) = (row for row in facts["which_model"]["rows"] if row["is_chosen"])
    assert (chosen["n_features"], chosen["model"]) == (k, few["model"])
    assert card["model"] == chosen["name"]
    assert {line["name"].split("=")[0] for line in card["features"]} <= set(few["features"]) or k > MOST_NAMED
    marked = [name for name, is_in in zip(facts["features"]["name"], facts["features"]["chosen"]) if is_in]
    assert set(marked) == set(few["features"]) & set(facts["features"]["name"])
    point = next(line for line in said["frontier"] if line["n_features"] == k)
    assert point["model"] == few["model"]
    assert point["error"] == pytest.approx(chosen["error"])
    assert few["low"] <= few["error"] <= few["high"]
    assert card["test"]["low"] <= card["test"]["error"] <= card["test"]["high"]
    assert card["test"]["on"] == ("sealed rows" if found.sealed is not None else "rows left out of the folds")
    assert repr(found).splitlines()[0].startswith(f"Keep    {k:,} of {said['n_features']:,} feature")
    assert card["model"] in repr(found)


@pytest.fixture(scope="module")
def found():
    return made(*planted(), time_budget=20)


def test_the_headline_names_few_and_its_error(found):
    assert found.facts["verdict"] == "useful"
    assert {"x0", "x1"} <= set(found.features)
    assert {"x2", "x3", "x4"} & set(found.features)
    assert found.error["high"] < found.error["baseline"]
    assert found.facts["recommended"]["few"]["error"] < 0.25
    assert len(repr(found).splitlines()) == 6


def test_description_length_is_a_footnote(found):
    facts = found.facts["how_many"]
    assert facts["criteria"][0]["rule"] == "mdl"
    assert facts["criteria"][0]["chosen"] == 2  # greedy Naive Bayes does not see the pair


def test_why(found):
    assert "'x0' is kept, number" in found.why("x0")
    assert "alone it ranks" in found.why("x7")
    with pytest.raises(ValueError, match="x77"):
        found.why("x77")


def test_models_of_the_frontier_can_be_fitted(found):
    X, _ = planted()
    k = found.frontier[0]["n_features"]
    model = found.model_of(k)
    assert model.support_.sum() == k
    assert model.predict(X[:5]).shape == (5,)
    with pytest.raises(ValueError, match="n_features must be a size of the frontier"):
        found.model_of(4)
    assert found.model is found.few
    assert [str(name) for name in found.few.columns_] == sorted(found.features, key=lambda name: int(name[1:]))


def test_copies_are_in_one_group(found):
    groups = found.facts["redundant"]["groups"]
    members = [{g["keep"], *(m["name"] for m in g["members"])} for g in groups]
    assert {"x2", "x3", "x4"} in members
    relations = {m["name"]: m["relation"] for g in groups for m in g["members"]}
    assert sorted(relations[n] for n in relations if n in ("x2", "x3", "x4")) == ["exact copy", "near copy"]
    assert not {"x0", "x1", "x5"} & set(relations)
    inflated = {v["name"]: v["vif"] for v in found.facts["redundant"]["vif"]}
    assert inflated["x2"] is None
    assert inflated["x7"] == pytest.approx(1, abs=0.1)


def test_exclusive_or_is_found(found):
    sets = found.facts["together"]["sets"]
    assert set(sets[0]["features"]) == {"x0", "x1"}
    assert sets[0]["p_value"] <= 0.05
    assert sets[0]["synergy"] > 0.5
    slope = {s["name"]: s for s in found.facts["together"]["slopes"]}
    assert slope["x0"]["rank_in_context"] <= 2 < slope["x0"]["rank_alone"]
    assert slope["x0"]["partner"] == "x1"


def test_models_are_compared_with_a_baseline(found):
    rows = found.facts["which_model"]["rows"]
    assert sum(r["is_baseline"] for r in rows) == 1
    assert min(r["difference"] for r in rows) == 0
    assert "{" not in found.facts["which_model"]["answer"]


def test_the_sealed_rows_were_opened_once(found):
    test = found.facts["card"]["test"]
    assert test["openings"] == found.sealed.n_openings == 1
    assert test["n"] == found.facts["data"]["n_test"] == 300
    assert test["low"] <= test["error"] <= test["high"]


def test_sealed_rows_are_counted_by_class_and_prediction(found):
    card = found.facts["card"]
    counts = np.array(card["confusion"])
    assert counts.shape == (2, 2)
    assert counts.sum() == card["test"]["n"]
    assert 1 - np.trace(counts) / counts.sum() == pytest.approx(card["test"]["error"])
    assert counts.sum(axis=1) == pytest.approx(np.array(found.facts["target"]["counts"]) / 3, abs=1)
    assert f"| true 0 | {counts[0, 0]} | {counts[0, 1]} |" in found.to_markdown()


def test_pages_hold_the_answers(found, tmp_path):
    model = found.facts["card"]["model"]
    for name in ("r.html", "r.md", "r.json"):
        found.save(tmp_path / name)
        text = (tmp_path / name).read_text()
        assert all(word in text for word in ("x0", "x1", model))
    with pytest.raises(ValueError, match=r"must end with .html, .json or .md"):
        found.save(tmp_path / "r.pdf")
    assert found._repr_html_().startswith("<iframe")


def test_the_same_seed_gives_the_same_facts(monkeypatch):
    with_few_learners(monkeypatch, "logistic regression", "Naive Bayes", sizes=(1, 2, 3))
    X, y = planted(100)
    a, b = (made(pd.DataFrame(X), y, time_budget=1e5).facts for _ in range(2))
    assert a["recommended"]["is_complete"]
    for part in ("how_many", "redundant", "together", "recommended", "features"):
        assert a[part] == b[part]
    assert a["card"]["test"] == b["card"]["test"]


@pytest.mark.parametrize("seed", range(4))
def test_there_is_a_model_for_noise_too_and_no_claim(monkeypatch, seed):
    with_few_learners(monkeypatch, "logistic regression", "Naive Bayes", sizes=(1, 3, 8))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 15))
    found = made(X, rng.permutation(np.repeat([0, 1], 50)), random_state=seed, time_budget=1e5)
    assert found.facts["verdict"] != "useful"
    assert found.error["low"] < 0.5 < found.error["high"]
    assert found.model.predict(X).shape == (100,)
    assert found.sealed is None
    assert found.facts["card"]["test"]["openings"] == 0
    assert ("Cannot tell whether" in found.facts["headline"][0]) == found.facts["nothing_here"]
    assert (found.facts["recommended"]["p_value"] > 0.03) == found.facts["nothing_here"]


def test_numbers_to_predict():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"v{j}": rng.normal(size=400) for j in range(6)}).with_columns(
        color=pl.Series(rng.choice(["red", "green", "blue"], 400))
    )
    y = 3 * frame["v0"] - 2 * frame["v1"] + 4 * (frame["color"] == "red").cast(float) + rng.normal(size=400)
    found = made(frame, y, target="price")
    assert found.facts["target"]["kind"] == "numeric"
    assert set(found.facts["how_many"]["feature"][1:4]) == {"v0", "v1", "color"}
    assert {"v0", "v1", "color"} <= set(found.features)
    assert found.facts["verdict"] == "useful"
    assert found.facts["card"]["test"]["metric"] == "root mean squared error"
    assert found.facts["card"]["test"]["low"] < 1.2


def test_text_and_columns_together():
    rng = np.random.default_rng(1)
    y = rng.choice(["ham", "spam"], 300)
    said = ["we meet at noon by the river " + ("win cash now" if v == "spam" else "bring some bread") for v in y]
    frame = pd.DataFrame({"said": said, "length": [len(s) + 0.1 * rng.normal() for s in said], "id": range(300)})
    frame["said"] = [f"{s} {rng.integers(10**6)}" for s in frame["said"]]
    found = made(frame, y)
    kinds = {c["name"]: c["kind"] for c in found.facts["data"]["columns"]}
    assert kinds == {"said": "text", "length": "numeric", "id": "identifier"}
    assert "said: cash" in found.facts["features"]["name"][:10]
    assert found.facts["card"]["test"]["error"] < 0.05
    assert (found.model.predict(frame[["length", "said"]].head(3)) == y[:3]).all()
    assert (found.best.predict(frame) == y).mean() > 0.95


def test_sparse_words_and_lists_of_text():
    rng = np.random.default_rng(2)
    X = sparse.csr_array((rng.random((200, 30)) < 0.3).astype(float))
    y = X[:, [3]].toarray()[:, 0].astype(int) ^ (rng.random(200) < 0.1)
    found = made(X, y)
    assert found.facts["features"]["name"][0] == found.features[0] == "x3"
    assert found.model.predict(X).shape == (200,)
    texts = [f"one two three four {'five' if v else 'six'} {rng.integers(10**6)}" for v in y]
    found = made(texts, y)
    assert set(found.facts["features"]["name"][:2]) == {"five", "six"}
    assert np.mean(found.model.predict(texts) == y) > 0.95


def test_missing_values_and_rare_classes_are_told():
    X, y = planted(300)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    frame.loc[::3, "c5"] = np.nan
    label = pd.Series(np.where(y == 1, "yes", "no"), dtype=object)
    label[:4], label[4:7] = None, "perhaps"
    facts = made(frame, label).facts
    assert facts["data"]["n_rows"] == 293
    assert facts["target"]["n_missing"] == 4
    assert any("4 rows have no value" in n for n in facts["notes"])
    assert any("3 rows are of classes that are too rare" in n for n in facts["notes"])


HOSTILE = ["<script>alert(1)</script>", 'a"b', "'; DROP TABLE data; --", "=1+1", "😀", "x" * 10_000, "a\nb", "</style>"]


def test_hostile_names_are_names():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, len(HOSTILE))), columns=HOSTILE)
    y = np.where(frame[HOSTILE[0]] > 0, "<b>yes</b>", "no")
    found = made(frame, y, target="<i>t</i>", source="<u>s</u>")
    assert HOSTILE[0] in found.features
    assert "is kept" in found.why(HOSTILE[0])
    assert found.facts["features"]["name"][0] == HOSTILE[0]
    page = found.to_html()
    assert "<script>alert" not in page
    assert "<b>yes" not in page
    assert "<u>s" not in page


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((30, 2)), np.arange(30) % 2, "no column is usable as a feature"),
        (np.random.default_rng(0).normal(size=(30, 2)), np.zeros(30, int), "must have at least two classes"),
        (np.random.default_rng(0).normal(size=(2, 2)), [0, 1], "must have at least two classes with at least 5 rows"),
        (
            np.random.default_rng(0).normal(size=(12, 2)),
            [0, 1] * 6,
            "at least 20 rows with a value of 'target' are required, got 12",
        ),
        (np.random.default_rng(0).normal(size=(30, 2)), np.arange(29), "same number of rows, got 30 and 29"),
        (np.full((30, 2), np.inf), np.arange(30), "infinity"),
        (np.random.default_rng(0).normal(size=(30, 2)), np.full(30, 1.5), "must have at least two classes"),
        (np.random.default_rng(0).normal(size=30), np.arange(30), "X must be two-dimensional"),
    ],
)
def test_what_cannot_be_reported_on_is_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        report(X, y, progress=False)


def test_options_are_checked():
    X, y = planted(60)
    with pytest.raises(ValueError, match="time_budget must be a positive"):
        report(X, y, time_budget=0)
    with pytest.raises(ValueError, match="task must be"):
        report(X, y, task="rank")
    with pytest.raises(ValueError, match="there is no column 'z'"):
        report(X, y, kinds={"z": "text"})
    with pytest.raises(ValueError, match="the kind of each column of X in order"):
        report(X, y, kinds=["numeric"])


def test_recognized_kinds_are_not_detected_again(monkeypatch):
    X = pd.DataFrame({"code": [1, 2, 3] * 20, "size": np.arange(60) / 7})
    kinds = recognize(X, {"code": "category"})
    expected = table.read_study_table(X, {"code": "category"})
    monkeypatch.setattr(table, "recognize", None)
    found = table.read_study_table(X, kinds)
    assert found.kinds == expected.kinds
    pd.testing.assert_frame_equal(found.frame, expected.frame)


def test_bound_on_false_selections():
    assert false_bound(10, 1000, 0.75, 50) == pytest.approx(10 * 10 / 1000 / (2 * (0.5 - 0.01)))
    assert false_bound(10, 1000, 0.9, 50) == pytest.approx(0.1 * 4 * (0.1 + 0.01) / 1.02)
    assert false_bound(10, 10, 0.75, 50) == 10


def test_similarity_of_sets():
    assert similarity(np.array([1.0, 1.0, 0.0, 0.0]), 100) == pytest.approx(1)
    rng = np.random.default_rng(0)
    sets = np.array([rng.permutation(20) < 5 for _ in range(400)])
    assert similarity(sets.mean(axis=0), 400) == pytest.approx(0, abs=0.02)


def estimate(model: str, n_features: int, error: float) -> dict:
    members = [{}] * (2 if model.startswith("blend") else 1)
    made = {"model": model, "selector": None, "n_features": n_features, "error": error, "low": 0.1, "high": 0.2}
    return {**made, "members": members}


@pytest.mark.parametrize(
    ("best", "said", "line"),
    [
        (
            estimate("blend of 2 models", 9, 0.12),
            "The best model, a blend of 2 models with 9 features: 12.0%.",
            "12.0%",
        ),
        (
            estimate("blend of 2 models", 9, 0.16),
            "The model of lowest loss, a blend of 2 models with 9 features, has no lower error rate.",
            "blend of 2 models, no lower error rate",
        ),
        (estimate("Naive Bayes", 2, 0.15), "No other model has a lower loss.", "best: the same"),
    ],
)
def test_the_best_model_is_never_said_to_have_a_higher_error(best, said, line):
    facts = example_facts.adult()
    few = estimate("Naive Bayes", 2, 0.15) | {"features": ["a", "b"]}
    facts["recommended"] |= {"few": few, "best": best}
    assert said in _answer(facts["recommended"])
    assert line in summary_lines(facts)[3]
    assert f"{best['error']:.1%}" not in _answer(facts["recommended"]) or best["error"] <= few["error"]


def test_a_column_that_is_named_like_a_word(monkeypatch):
    with_few_learners(monkeypatch, "logistic regression", sizes=(1, 2))
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    said = np.where(y ^ (rng.random(80) < 0.1), "win cash now", "bring bread now")
    frame = pd.DataFrame({"said": said, "said: cash": rng.normal(size=80), "color": rng.choice(["a", "b"], 80)})
    found = made(frame, y, kinds={"said": "text", "said: cash": "numeric", "color": "category"})
    names = found.facts["features"]["name"]
    assert {"said: cash", "said: cash (word)", "color"} <= set(names)
    assert len(set(names)) == len(names)
    assert set(found.features) <= set(names)
    assert (found.few.predict(frame) == y).mean() > 0.8
