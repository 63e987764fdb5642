"""Labels for all documents of a table of which a few have one."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace as changed
from numbers import Integral
from typing import Any

import numpy as np

from vitalfew._checks import check_threads
from vitalfew._progress import progress
from vitalfew.labelling.candidates import CountedRows, Labelled, LinearModel, Others, PresenceBayes
from vitalfew.labelling.classify import Classifier, classified, output_schema
from vitalfew.labelling.label_report import LabelReport
from vitalfew.labelling.places import Place, Wanted, open_place
from vitalfew.labelling.survey import Survey, survey
from vitalfew.labelling.vocabulary import Vocabulary

MODELS = ("auto", "nb")
LEAST_MEMORY = 2**30
# Python, its packages and what a database keeps for itself.
TAKEN = 3 * 2**28
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def label_documents(
    database: Any,
    table: str | None,
    text: str,
    label: str,
    *,
    key: str | Sequence[str] | None = None,
    into: str | None = None,
    model: str = "auto",
    unlabelled: str | None = None,
    replace: bool = False,
    dry_run: bool = False,
    memory: int | str = "2GB",
    format: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> LabelReport:
    """Learn from the documents that have a label, and write a label for every one that has none."""
    began = time.monotonic()
    if model not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}.")
    room = (parse_memory(memory) - TAKEN) // 2
    threads = check_threads(n_jobs)
    wanted = Wanted(database, table, text, label, key, into, unlabelled, replace, format)
    with open_place(wanted, read_only=dry_run) as place:
        found = survey(place.documents, room, random_state, threads, verbose)
        vocabulary = found.vocabulary.most_frequent(most_words(room, len(found.classes)))
        labelled = _labelled(found, vocabulary)
        others = Others(CountedRows.others(vocabulary, labelled))
        report = _report(place, found, vocabulary, dry_run)
        if dry_run:
            return report
        fitted = PresenceBayes(n_jobs=n_jobs).fit(labelled, others)
        counts = _write(place, found, vocabulary, fitted, verbose)
    seconds = time.monotonic() - began
    return changed(report, model="nb", n_predicted=counts, seconds=seconds)


def parse_memory(memory: int | str) -> int:
    """Bytes, of a number or of a text such as "2GB"."""
    if isinstance(memory, Integral) and not isinstance(memory, bool):
        n_bytes = int(memory)
    else:
        parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", str(memory))
        if parts is None or parts[2].lower() not in _UNITS:
            raise ValueError(f"memory must be a number of bytes or a text such as '2GB', got {memory!r}.")
        n_bytes = int(float(parts[1]) * _UNITS[parts[2].lower()])
    if n_bytes < LEAST_MEMORY // 1.1:
        raise ValueError(f"memory must be at least 1GB, got {memory!r}.")
    return n_bytes


def most_words(room: int, n_classes: int) -> int:
    """So many words that the tables of a model and of its sums fit."""
    return max(room // (8 * 6 * n_classes + 64), 1000)


def _labelled(found: Survey, vocabulary: Vocabulary) -> Labelled:
    presence = vocabulary.presence(found.texts)
    return Labelled(presence, vocabulary.weighted(presence), found.code, len(found.classes))


def _report(place: Place, found: Survey, vocabulary: Vocabulary, dry_run: bool) -> LabelReport:
    return LabelReport(
        source=place.documents.source.name,
        into=place.into,
        columns=output_schema(place.documents).names,
        n_documents=found.n_documents,
        n_labelled=dict(zip(found.classes.to_pylist(), found.class_counts.tolist())),
        n_words=len(vocabulary),
        is_dry_run=dry_run,
    )


def _write(place: Place, found: Survey, vocabulary: Vocabulary, model: LinearModel, verbose: bool | None) -> dict:
    """One transaction; how many documents got each label."""
    classifier = Classifier(model, vocabulary, found.classes)
    schema = output_schema(place.documents)
    counts = np.zeros(len(found.classes), dtype=np.int64)
    with (
        progress(found.n_unlabelled, "labelling documents", verbose) as bar,
        place.open_sink(schema) as sink,
    ):
        for batch, code in classified(place.documents, classifier, schema):
            sink.write(batch)
            counts += np.bincount(code, minlength=len(counts))
            bar.update(len(code))
    return dict(zip(found.classes.to_pylist(), counts.tolist()))
