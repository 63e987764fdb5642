"""Descriptions of fitted models for the report and the command line, beyond their coefficients.

A model may define ``_feature_lines()``, which returns its features, and ``_rules_text()``, which returns its rules.
"""

from __future__ import annotations

from typing import NamedTuple


class FeatureLine(NamedTuple):
    """A feature in use by its index, its weight and the class that it favors, and its information in bits."""

    feature: int
    weight: float | None
    speaks_for: str | None
    information: float
