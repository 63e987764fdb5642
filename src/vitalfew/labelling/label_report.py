"""What was done with a table of documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class LabelReport:
    """What `label_documents` found and wrote.

    Attributes
    ----------
    source, into : str
        Where the documents are, and the table or file of their labels.
    columns : list of str
        The columns of that.
    n_documents : int
    n_labelled, n_predicted : dict
        Documents of each class: those that had a label, and those that got one.
    n_words : int
        Words of the vocabulary.
    model : str or None
        What labelled the documents.
    seconds : float
    is_dry_run : bool
        Nothing was written.
    """

    source: str
    into: str
    columns: list[str]
    n_documents: int
    n_labelled: dict[Any, int]
    n_words: int
    model: str | None = None
    n_predicted: dict[Any, int] = field(default_factory=dict)
    seconds: float = 0.0
    is_dry_run: bool = False

    @property
    def n_unlabelled(self) -> int:
        return self.n_documents - sum(self.n_labelled.values())

    @property
    def documents_per_second(self) -> float:
        """All documents that were read, over the whole time."""
        return self.n_documents / self.seconds if self.seconds else 0.0
