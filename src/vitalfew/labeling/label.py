"""Labeling of all documents of a table, given a few labeled ones."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import replace as changed
from typing import Any

import numpy as np

from vitalfew.families.bayes.mixture import WeightRows
from vitalfew.labeling.budget import Budget
from vitalfew.labeling.candidates import CANDIDATES, Candidate, CountedRows, LabeledDocuments, LinearModel, Others
from vitalfew.labeling.choice import LabelerChoice, choose
from vitalfew.labeling.classify import Classifier, classified, output_schema
from vitalfew.labeling.endpoints import Place, Wanted, open_place
from vitalfew.labeling.label_report import LabelReport
from vitalfew.labeling.streamed_rows import StreamedRows
from vitalfew.labeling.survey import Survey, survey
from vitalfew.labeling.vocabulary import Vocabulary
from vitalfew.support.checks import check_threads
from vitalfew.support.deprecated_names import renamed_parameter
from vitalfew.support.outputs import recording
from vitalfew.support.progress import progress
from vitalfew.support.suggest import suggestion


@renamed_parameter("unlabelled", "unlabeled")
def label_documents(
    database: Any,
    table: str | None,
    text: str,
    label: str,
    *,
    key: str | Sequence[str] | None = None,
    into: str | None = None,
    model: str = "auto",
    unlabeled: str | None = None,
    replace: bool = False,
    dry_run: bool = False,
    memory: int | str = "2GB",
    format: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> LabelReport:
    """Learn from the labeled documents, and write a label for every unlabeled one.

    The table of documents is only read. The labels go into a new table, in one transaction: after an error, Ctrl-C or
    the end of the process it does not exist, and a second run starts afresh.

    Parameters
    ----------
    database : str, path or duckdb.DuckDBPyConnection
        A DuckDB or SQLite file, an open connection, or ``"postgresql://user@host:5432/name"``. Or a Parquet, CSV or
        Arrow file (or a glob pattern); then `table` is None and `into` another file.
    table : str or None
        The table of documents; None if the database has a single table.
    text, label : str
        The columns of the documents and of their labels, null if unlabeled. A null document is treated as empty.
    key : str or list of str, optional
        The columns that identify a row, written beside the labels; the primary key by default, otherwise the row
        number (``rowid``) in DuckDB and SQLite.
    into : str, optional
        The new table, ``<table>_predicted`` by default, or a file (.parquet, .arrow, .csv, .tsv). Its columns are the
        key and the label under their own names, ``probability``, and ``word_1``, ``word_2``, ``word_3``, the words that
        support the label most, best first.
    model : str, default "auto"
        ``"em"`` (also learns from unlabeled documents), ``"logistic-l2"``, ``"nb-idf"``, ``"nb"``, ``"logistic-l1"``;
        ``"auto"`` evaluates all by cross-validation on the labeled documents and uses the one with the smallest error,
        or EM if that is within one standard error of it. ``"em"`` falls back to ``"nb-idf"`` if unlabeled documents do
        harm.
    unlabeled : str, optional
        A text that marks unlabeled documents, such as ``""``, in addition to null.
    replace : bool, default False
        Whether to replace an existing `into`.
    dry_run : bool, default False
        Read and count, but neither learn nor write.
    memory : int or str, default "2GB"
        Approximate memory of the process, for any number of documents. If it does not suffice, the rarest words, and
        labeled documents beyond a random sample, are left out; the report says so.
    format : {"duckdb", "sqlite", "csv", "tsv", "parquet", "arrow"}, optional
        Format of a file, if its name is misleading.
    random_state : int, default 0
        Seed of folds and samples.
    n_jobs : int, optional
        Number of threads; all by default.
    verbose : bool, optional
        Whether to show progress bars; by default, on a terminal and for long runs.

    Returns
    -------
    LabelReport
        Counts, the candidate models with their errors, the chosen model and the reason.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa
    >>> from vitalfew import label_documents
    >>> from vitalfew.data.databases import open_database
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "films.duckdb"
    >>> bodies = ["good film", "good plot", "bad film", "bad plot", "good", "bad", "a good film"]
    >>> films = pa.record_batch({"id": range(7), "body": bodies, "topic": ["+", "+", "-", "-", None, None, None]})
    >>> with open_database(path) as database, database.sink("films", films.schema) as sink:
    ...     sink.write(films)
    >>> report = label_documents(path, "films", "body", "topic", key="id")
    >>> report.n_predicted
    {'+': 2, '-': 1}
    >>> with open_database(path) as database:
    ...     database.source("films_predicted").read().select(["id", "topic", "word_1"]).to_pylist()
    [{'id': 4, 'topic': '+', 'word_1': 'good'}, {'id': 5, 'topic': '-', 'word_1': 'bad'}, \
{'id': 6, 'topic': '+', 'word_1': 'good'}]
    """
    began = time.monotonic()
    candidates = _candidates(model, n_jobs)
    budget = Budget.of(memory)
    threads = check_threads(n_jobs)
    wanted = Wanted(database, table, text, label, key, into, unlabeled, replace, format)
    with recording(), open_place(wanted, read_only=dry_run) as place:
        found = survey(place.documents, budget.survey, random_state, threads, verbose)
        vocabulary = found.vocabulary.most_frequent(budget.most_words(len(found.classes)))
        report = _report(place, found, vocabulary, [c.name for c in candidates], dry_run)
        if dry_run:
            return report
        labeled = _labeled(found, vocabulary)
        choice = _choose(candidates, labeled, found, vocabulary, random_state, verbose)
        fitted = _fit(choice, labeled, place, found, vocabulary, budget, verbose)
        counts = _write(place, found, vocabulary, fitted, verbose)
    return changed(
        report,
        model=choice.candidate.name,
        candidates=[asdict(score) for score in choice.scores],
        n_tried=choice.n_tried,
        why=choice.why,
        n_predicted=counts,
        seconds=time.monotonic() - began,
    )


def _candidates(model: str, n_jobs: int | None) -> list[Candidate]:
    every = {c.name: c(n_jobs) for c in CANDIDATES}
    if model == "auto":
        return list(every.values())
    if model not in every:
        raise ValueError(f"unknown model {model!r}; {suggestion(model, ['auto', *every], 'the models are')}")
    return [every["em"], every["nb-idf"]] if model == "em" else [every[model]]


def _labeled(found: Survey, vocabulary: Vocabulary) -> LabeledDocuments:
    presence = vocabulary.presence(found.texts)
    return LabeledDocuments(presence, vocabulary.weighted(presence), found.code, len(found.classes))


def _report(place: Place, found: Survey, vocabulary: Vocabulary, models: list[str], dry_run: bool) -> LabelReport:
    notes = []
    if not found.is_exact:
        notes.append("not enough memory to count all words in all documents: the rarest words were dropped (--memory).")
    if len(vocabulary) < len(found.vocabulary):
        n = len(found.vocabulary) - len(vocabulary)
        notes.append(f"memory suffices for {len(vocabulary):,} words: the {n:,} rarest were dropped (--memory).")
    if len(found.code) < found.n_labeled:
        kept = f"{len(found.code):,} of {found.n_labeled:,}"
        notes.append(f"memory suffices for {kept} labeled documents: a random sample is used for training (--memory).")
    if found.n_unlabeled == 0:
        notes.append("every document has a label; if a placeholder marks missing labels, specify it (--unlabeled).")
    single = [c for c, n in zip(found.classes.to_pylist(), found.class_counts) if n == 1]
    if single:
        notes.append(f"classes with one labeled document cannot be validated: {', '.join(map(repr, single))}.")
    return LabelReport(
        source=place.documents.source.name,
        into=place.into,
        columns=output_schema(place.documents).names,
        n_documents=found.n_documents,
        n_labeled=dict(zip(found.classes.to_pylist(), found.class_counts.tolist())),
        n_words=len(vocabulary),
        models=models,
        notes=notes,
        is_dry_run=dry_run,
    )


def _choose(
    candidates, labeled: LabeledDocuments, found: Survey, vocabulary: Vocabulary, random_state, verbose
) -> LabelerChoice:
    sample = vocabulary.weighted(vocabulary.presence(found.others))
    others = Others(CountedRows.others(vocabulary, labeled), WeightRows(sample, vocabulary.threads))
    if len(candidates) == 1 and len(candidates[0].grid) == 1:
        return LabelerChoice(candidates[0], candidates[0].grid[0], (), 0, "it was requested.")
    return choose(candidates, labeled, others, random_state, verbose)


def _fit(
    choice: LabelerChoice,
    labeled: LabeledDocuments,
    place: Place,
    found: Survey,
    vocabulary: Vocabulary,
    budget: Budget,
    verbose,
) -> LinearModel:
    counted = CountedRows.others(vocabulary, labeled)
    if not choice.candidate.needs_documents:
        return next(choice.candidate.models(labeled, Others(counted), [choice.knob]))
    with StreamedRows(vocabulary, budget.rows) as rows:
        with progress(found.n_unlabeled, "reading unlabeled documents", verbose) as bar:
            for _, texts in place.documents.unlabeled():
                rows.add(*vocabulary.rows(texts))
                bar.update(len(texts))
        # In total, they get the same weight relative to the labeled ones as the sample on which the weight was chosen.
        knob = choice.knob * min(1.0, len(found.others) / max(rows.n_rows, 1))
        candidate = changed(choice.candidate, verbose=verbose)
        return next(candidate.models(labeled, Others(counted, rows), [knob]))


def _write(place: Place, found: Survey, vocabulary: Vocabulary, model: LinearModel, verbose: bool | None) -> dict:
    """Write all labels in one transaction; return the number of documents per label."""
    classifier = Classifier(model, vocabulary, found.classes)
    schema = output_schema(place.documents)
    counts = np.zeros(len(found.classes), dtype=np.int64)
    with (
        progress(found.n_unlabeled, "labeling documents", verbose) as bar,
        place.open_sink(schema) as sink,
    ):
        for batch, code in classified(place.documents, classifier, schema):
            sink.write(batch)
            counts += np.bincount(code, minlength=len(counts))
            bar.update(len(code))
    return dict(zip(found.classes.to_pylist(), counts.tolist()))
