"""What was done with a table of documents."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
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
    models : list of str
        Those that are tried.
    model : str or None
        What labelled the documents.
    candidates : list of dict
        The models that were tried: name, knob, error on held-out labelled documents and its standard error, and by how
        much that is above the least (excess, with the standard error of the difference).
    n_tried : int
        Held-out labelled documents of which these errors are.
    why : str
        Why this model.
    notes : list of str
        What one should know: words or documents that were left out.
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
    def n_unlabelled(self) -> int:
        return self.n_documents - sum(self.n_labelled.values())

    @property
    def documents_per_second(self) -> float:
        """All documents that were read, over the whole time."""
        return self.n_documents / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; classes are texts."""
        plain = asdict(self)
        for name in ("n_labelled", "n_predicted"):
            plain[name] = {str(k): v for k, v in plain[name].items()}
        return plain | {"documents_per_second": self.documents_per_second}
