"""The report finds what was planted, says so where there is nothing, and refuses what cannot be reported on."""

import json
from importlib.resources import files

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from planted import four_questions as planted
from vitalfew import Report, report
from vitalfew.data.tables.column_kinds import recognize
from vitalfew.reporting import table
from vitalfew.reporting.questions.how_many import false_bound, similarity

SCHEMA = json.loads(files("vitalfew.reporting.render").joinpath("schema.json").read_text())


def made(X, y, **options) -> Report:
    found = report(X, y, **{"progress": False, "time_budget": 6, **options})
    jsonschema.validate(json.loads(found.to_json()), SCHEMA)
    return found


@pytest.fixture(scope="module")
def found():
    return made(*planted(), time_budget=60)


def test_how_many(found):
    facts = found.facts["how_many"]
    assert facts["range"][0] == 2
    assert facts["criteria"][0]["chosen"] == 2
    chosen = {f for f, k in zip(facts["feature"], facts["k"]) if 0 < k <= 2}
    assert "x5" in chosen
    assert chosen & {"x2", "x3", "x4"}


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


def test_the_model_that_sees_pairs_wins(found):
    rows = found.facts["which_model"]["rows"]
    assert rows[0]["model"] == "boosted trees"
    assert sum(r["is_chosen"] for r in rows) == 1
    assert not found.facts["nothing_here"]


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
    for name in ("r.html", "r.md", "r.json"):
        found.save(tmp_path / name)
        text = (tmp_path / name).read_text()
        assert all(word in text for word in ("x0", "x1", "boosted trees"))
    with pytest.raises(ValueError, match=r"must end with .html, .json or .md"):
        found.save(tmp_path / "r.pdf")
    assert "boosted trees" in repr(found)
    assert found._repr_html_().startswith("<iframe")


def test_the_same_seed_gives_the_same_facts():
    X, y = planted(300)
    a, b = (made(pd.DataFrame(X), y, time_budget=60).facts for _ in range(2))
    for part in ("how_many", "redundant", "together"):
        assert a[part] == b[part]
    assert a["card"]["test"] == b["card"]["test"]


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_found_in_noise(seed):
    rng = np.random.default_rng(seed)
    found = made(rng.normal(size=(200, 15)), rng.integers(0, 2, 200), random_state=seed, time_budget=3)
    assert found.facts["nothing_here"]
    assert found.facts["headline"][0].startswith("No signal")
    assert found.model is None
    assert found.sealed.n_openings == 0


def test_numbers_to_predict():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"v{j}": rng.normal(size=400) for j in range(6)}).with_columns(
        color=pl.Series(rng.choice(["red", "green", "blue"], 400))
    )
    y = 3 * frame["v0"] - 2 * frame["v1"] + 4 * (frame["color"] == "red").cast(float) + rng.normal(size=400)
    found = made(frame, y, target="price")
    assert found.facts["target"]["kind"] == "numeric"
    assert found.facts["how_many"]["range"][0] == 3
    assert set(found.facts["how_many"]["feature"][1:4]) == {"v0", "v1", "color"}
    assert found.facts["card"]["test"]["metric"] == "root mean squared error"
    assert found.facts["card"]["test"]["error"] == pytest.approx(1, abs=0.2)


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
    assert (found.model.predict(frame[["said", "length"]].head(3)) == y[:3]).all()


def test_sparse_words_and_lists_of_text():
    rng = np.random.default_rng(2)
    X = sparse.csr_array((rng.random((200, 30)) < 0.3).astype(float))
    y = X[:, [3]].toarray()[:, 0].astype(int) ^ (rng.random(200) < 0.1)
    assert made(X, y).facts["features"]["name"][0] == "x3"
    texts = [f"one two three four {'five' if v else 'six'} {rng.integers(10**6)}" for v in y]
    assert set(made(texts, y).facts["features"]["name"][:2]) == {"five", "six"}


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
