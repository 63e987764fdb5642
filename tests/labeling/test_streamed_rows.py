"""EM over documents that are partly in a file, and counting words in parts: the same numbers as in memory."""

import numpy as np
import pyarrow as pa
import pytest
from corpus import make_documents

from vitalfew import SemiSupervisedNaiveBayes, WordPresence
from vitalfew.families.bayes.mixture import Parameters, WeightRows
from vitalfew.labeling.streamed_rows import StreamedRows
from vitalfew.labeling.survey import LabeledStore, Sample
from vitalfew.labeling.vocabulary import WordCounter


@pytest.fixture(scope="module")
def corpus():
    table, truth = make_documents(500, 30)
    texts = pa.array([b or "" for b in table["body"].to_pylist()])
    counter = WordCounter(2**30)
    counter.add(texts)
    return texts, list(truth.values()), counter.finish()


@pytest.mark.parametrize("memory", [0, 4_000, 2**30])
@pytest.mark.parametrize("chunk_words", [1, 700, 10**9])
def test_same_sums_as_in_memory(corpus, memory, chunk_words):
    texts, _, vocabulary = corpus
    whole = WeightRows(vocabulary.weighted(vocabulary.presence(texts)))
    rng = np.random.default_rng(0)
    parameters = Parameters(rng.normal(size=(len(vocabulary), 3)), rng.normal(size=3))
    with StreamedRows(vocabulary, memory, chunk_words) as rows:
        for start in range(0, len(texts), 60):
            rows.add(*vocabulary.rows(texts[start : start + 60]))
        assert rows.n_rows == 500
        np.testing.assert_allclose(rows.lines(), whole.lines(), rtol=1e-12)
        for _ in range(2):  # it can be read again
            (table, total), height = rows.expect(parameters)
            (expected_table, expected_total), expected_height = whole.expect(parameters)
            np.testing.assert_allclose(table, expected_table, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(total, expected_total, rtol=1e-10)
            assert height == pytest.approx(expected_height, rel=1e-12)


def test_same_model_as_in_memory(corpus):
    texts, truth, vocabulary = corpus
    X = vocabulary.weighted(vocabulary.presence(texts))
    model = SemiSupervisedNaiveBayes(events="weights", unlabeled_weight=0.3, guard=False)
    expected = model.fit(X[:30], truth[:30], X_unlabeled=X[30:]).predict_proba(X)
    with StreamedRows(vocabulary, 2_000, 500) as rows:
        rows.add(*vocabulary.rows(texts[30:]))
        found = model.fit(X[:30], truth[:30], X_unlabeled=rows).predict_proba(X)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


def test_words_counted_in_parts(corpus):
    texts, _, whole = corpus
    counter = WordCounter(8 * 3_000)  # many parts, and room for all words
    for start in range(0, len(texts), 7):
        counter.add(texts[start : start + 7])
    found = counter.finish()
    assert counter.is_exact
    assert found.words.equals(whole.words)
    np.testing.assert_array_equal(found.counts, whole.counts)
    reference = WordPresence(min_df=2, weighting="idf").fit(texts.to_pylist())
    assert found.words.to_pylist() == list(reference.get_feature_names_out())
    np.testing.assert_allclose(found.idf, reference.idf_)
    np.testing.assert_allclose(
        found.weighted(found.presence(texts)).toarray(), reference.transform(texts.to_pylist()).toarray()
    )


def test_no_room_for_all_words():
    counter = WordCounter(100 * 1_000)  # 1,000 words, by the rule of 100 bytes each
    for part in range(40):
        counter.add(pa.array([f"common often{part % 50} once{part}x{i} {'filler ' * 30}" for i in range(100)]))
    found = counter.finish()
    assert not counter.is_exact
    counts = dict(zip(found.words.to_pylist(), found.counts.tolist()))
    assert counts["common"] == counts["filler"] == 4_000
    assert counts["often3"] == 100
    assert not any(word.startswith("once") for word in counts)
    assert found.most_frequent(2).words.to_pylist() == ["common", "filler"]


def test_no_word_twice():
    counter = WordCounter(2**20)
    counter.add(pa.array(["one two", "three"]))
    with pytest.raises(ValueError, match="no word occurs in two documents"):
        counter.finish()


def test_labeled_documents_beyond_the_room():
    store = LabeledStore(200_000, 0)
    for part in range(60):
        labels = pa.array(["many"] * 150 + ["some"] * 48 + ["rare", None])
        store.add(pa.array([f"document {part} {i} " + "x" * 60 for i in range(200)]), labels)
    texts, labels = store.finish()
    assert store.n_seen == {"many": 9_000, "some": 2_880, "rare": 60}
    assert texts.nbytes < 220_000
    kept = {c["values"]: c["counts"] for c in labels.value_counts().to_pylist()}
    assert kept["rare"] == 60
    assert 2 < kept["many"] / kept["some"] < 4.5  # shares as they were
    assert len(set(texts.to_pylist())) == len(texts)


def test_sample_is_uniform():
    taken = np.zeros(40)
    for seed in range(60):
        sample = Sample(100, 10**9, seed)
        for part in range(40):
            sample.add(pa.array([f"{part}", "not asked for"] * 50), np.arange(100) % 2 == 0)
        texts = sample.finish().to_pylist()
        assert len(texts) == 100
        for text in texts:
            taken[int(text)] += 1
    expected = taken.sum() / 40
    assert ((taken - expected) ** 2 / expected).sum() < 75  # chi-square with 39 degrees of freedom, p = 0.0005
