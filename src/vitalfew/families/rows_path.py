"""Base class of paths that hold the rows they were fitted to until a rule has chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from vitalfew.data.samples.numeric_data import NumericData


class RowsPath:
    """Path, a frozen dataclass, that holds the training rows for the rules; a fitted model drops them."""

    data: Any
    # `transient` attributes serve only the rules and are dropped with the rows; `kept` cached values survive.
    transient: tuple[str, ...] = ("data",)
    kept: tuple[str, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        # Rows are not part of a model: an unpickled path supports only what works without them.
        return {**self.__dict__, **dict.fromkeys(self.transient)}

    def without_data(self) -> Self:
        """Return a copy of the path without the training rows."""
        bare: Any = replace(self, **dict.fromkeys(self.transient))  # type: ignore[type-var]
        bare.__dict__.update({name: self.__dict__[name] for name in self.kept if name in self.__dict__})
        return bare

    def _rows(self) -> NumericData:
        if not isinstance(self.data, NumericData):
            raise ValueError("this requires the training rows, which are not stored with the model; fit it again.")
        return self.data
