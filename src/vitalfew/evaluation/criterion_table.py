"""Comparison of fitted models by an information criterion or by their description length, without held-out samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from vitalfew.evaluation.model_size import inner_model
from vitalfew.families.fitted_criteria import FittedCriteria
from vitalfew.rules.criteria import BITS, aic, bic
from vitalfew.support.checks import check_choice
from vitalfew.support.optional import make_frame

CRITERIA = ("bic", "aic", "mdl")
FORMATS = {"n_parameters": ".4g", "posterior": ".3f", "evidence_posterior": ".3f"}


@dataclass(frozen=True, repr=False)
class CriterionTable:
    """Result of :func:`~vitalfew.compare` with a criterion.

    Attributes
    ----------
    criterion : str
        ``"bic"``, ``"aic"`` or ``"mdl"``; smaller is better.
    rows : list of dict
        One entry per model, the best first. For ``"bic"`` and ``"aic"``: `name`, `log_likelihood`, `n_parameters`,
        `penalty`, the criterion, which is -2 `log_likelihood` + `penalty`, `posterior` and `log_evidence`; and
        `evidence_posterior` if all evidences are known and comparable. For ``"mdl"``: `name`, `data_bits`,
        `model_bits`, the total, `posterior`.
    is_corrected : bool
        Whether the penalties are those of the corrected criteria, since some model is a smoother or has more than half
        as many parameters as there are samples.
    best : str
    """

    criterion: str
    rows: list[dict[str, Any]]
    is_corrected: bool = False

    @property
    def best(self) -> str:
        return self.rows[0]["name"]

    def to_frame(self):
        """Return the rows as a data frame (pandas, polars or Arrow, whichever is installed)."""
        columns = {key: [row[key] for row in self.rows] for key in self.rows[0]}
        return make_frame({k: np.array(v, dtype=object if k == "name" else None) for k, v in columns.items()})

    def __repr__(self) -> str:
        keys = list(self.rows[0])
        lines = [keys, *([_text(key, row[key]) for key in keys] for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(keys))]
        head = f"{self.criterion.upper()}{' (corrected)' if self.is_corrected else ''}, smaller is better: "
        table = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]
        return "\n".join([f"{head}best {self.best!r}", *table])


def _text(key: str, value) -> str:
    if isinstance(value, str):
        return value
    return "-" if np.isnan(value) else format(value, FORMATS.get(key, ".1f"))


def compare_criteria(fitted: dict[str, Any], criterion: str) -> CriterionTable:
    """Compare fitted models by a criterion."""
    check_choice("criterion", criterion, CRITERIA)
    models = {name: _with_likelihood(name, model) for name, model in fitted.items()}
    if criterion == "mdl":
        bits = np.array([model.description_length_ for model in models.values()])
        return _table(criterion, models, {"data_bits": bits[:, 0], "model_bits": bits[:, 1]}, _sum(*bits.T), 1 / BITS)
    found = {name: model._fitted_criteria() for name, model in models.items()}
    joint = {name: one.is_joint for name, one in found.items()}
    if len(set(joint.values())) > 1:
        first = {flag: next(name for name, own in joint.items() if own is flag) for flag in (True, False)}
        raise ValueError(
            f"model {first[True]!r} has a likelihood of features and target together, model {first[False]!r} one of "
            "the target given the features; they cannot be compared by their likelihoods. Pass criterion='mdl', which "
            "encodes the target alone for both."
        )
    is_corrected = any(one.is_corrected for one in found.values())
    value, p, n = (np.array(column, dtype=float) for column in list(zip(*found.values()))[:3])
    penalty = bic(0.0, p, n, corrected=is_corrected) if criterion == "bic" else aic(0.0, p, n, corrected=is_corrected)
    columns = {"log_likelihood": value, "n_parameters": p, "penalty": penalty}
    evidence = np.array([one.log_evidence for one in found.values()])
    return _table(criterion, models, columns, _sum(-2 * value, penalty), 0.5, evidence, is_corrected)


def _sum(of_data: NDArray, of_model: NDArray) -> NDArray[np.float64]:
    """Return criteria; infinite where a perfect fit has an infinite penalty, as in the rules."""
    with np.errstate(invalid="ignore"):
        total = of_data + of_model
    return np.where(np.isnan(total), np.inf, total)


def _posterior(total: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return the probability of each model; perfect fits, whose criteria are minus infinity, share it equally."""
    if not (total < np.inf).any():
        raise ValueError(
            "the criterion is infinite for all models: there are too few samples for their parameters. Use more "
            "samples or simpler models."
        )
    is_perfect = total == -np.inf
    return is_perfect / is_perfect.sum() if is_perfect.any() else softmax(-scale * total)


def _table(criterion, models, columns, total: NDArray, scale: float, evidence=None, is_corrected=False):
    """Return the table of these columns, sorted by their total, with the posterior probability of each model."""
    columns = {**columns, criterion: total, "posterior": _posterior(total, scale)}
    if evidence is not None:
        columns["log_evidence"] = evidence
        # Flat priors leave a constant factor undefined, which cancels between models with the same flat priors.
        kinds = {(type(model), getattr(model, "fit_intercept", None)) for model in models.values()}
        if len(kinds) == 1 and np.isfinite(evidence).all():
            columns["evidence_posterior"] = softmax(evidence)
    order = np.argsort(total, kind="stable")
    names = list(models)
    rows = [{"name": names[i], **{key: float(values[i]) for key, values in columns.items()}} for i in order]
    return CriterionTable(criterion, rows, is_corrected)


def _with_likelihood(name: str, model) -> Any:
    """Return the model that has the likelihood, which may be the last step of a pipeline."""
    while not isinstance(model, FittedCriteria) and (inner := inner_model(model)) is not None:
        model = inner
    if not isinstance(model, FittedCriteria):
        raise ValueError(
            f"model {name!r} is a {type(model).__name__}, whose likelihood is not known; a criterion compares models "
            "of this library, or pipelines that end in one. Omit `criterion` to compare held-out errors."
        )
    try:
        _ = model.log_likelihood_
    except AttributeError as problem:
        raise ValueError(f"model {name!r} cannot be compared by a criterion: {problem}") from None
    return model
