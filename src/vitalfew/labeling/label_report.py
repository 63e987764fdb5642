"""Report on the labeling of a table of documents."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from vitalfew.support.deprecated_names import renamed_attribute


@dataclass(frozen=True)
class LabelReport:
    """Result of `label_documents`.

    Attributes
    ----------
    source, into : str
        The documents, and the table or file of their labels.
    columns : list of str
        The columns of `into`.
    n_documents : int
    n_labeled, n_predicted : dict
        Documents of each class: those that were labeled, and those that were given a label.
    n_words : int
        Size of the vocabulary.
    models : list of str
        The candidate models.
    model : str or None
        The model that labeled the documents.
    candidates : list of dict
        The evaluated models: name, hyperparameter (knob), error on held-out labeled documents and its standard error,
        and the excess over the smallest error (with the standard error of the difference).
    n_tried : int
        Number of held-out labeled documents behind these errors.
    why : str
        Why this model was chosen.
    notes : list of str
        Remarks, for example on words or documents that were left out.
    seconds : float
    is_dry_run : bool
        Whether nothing was written.
    """

    source: str
    into: str
    columns: list[str]
    n_documents: int
    n_labeled: dict[Any, int]
    n_words: int
    models: list[str] = field(default_factory=list)
    model: str | None = None
    candidates: list[dict[str, Any]] = field(default_factory=list)
    n_tried: int = 0
    why: str = ""
    notes: list[str] = field(default_factory=list)
    n_predicted: dict[Any, int] = field(default_factory=dict)
    seconds: float = 0.0
    is_dry_run: bool = False

    @property
    def n_unlabeled(self) -> int:
        return self.n_documents - sum(self.n_labeled.values())

    n_labelled = renamed_attribute("n_labelled", "n_labeled")
    n_unlabelled = renamed_attribute("n_unlabelled", "n_unlabeled")

    @property
    def documents_per_second(self) -> float:
        """Number of documents read per second, over the whole run."""
        return self.n_documents / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; classes are strings."""
        plain = asdict(self)
        for name in ("n_labeled", "n_predicted"):
            plain[name] = {str(k): v for k, v in plain[name].items()}
        plain["n_labelled"] = plain["n_labeled"]  # the old name, kept for one release
        return plain | {"documents_per_second": self.documents_per_second}
