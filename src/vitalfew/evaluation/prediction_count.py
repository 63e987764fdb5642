"""Count of the predictions that a scoring function requests, from the given model or any other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

METHODS = {"predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "fit_predict"}


class PredictionCount:
    """Number of calls of a function, and number of predictions it requests.

    Calls of prediction methods are observed with Python's profiling hook, so that models that the function itself
    brings along are counted as well. Predictions nested inside a prediction, such as those of pipeline steps, count as
    part of it. Models not written in Python, methods with other names, and other threads or processes are not observed.

    Attributes
    ----------
    calls : int
    predictions : int or None
        None if another profiler is active, which is left alone, or if the function removed the hook.
    """

    def __init__(self):
        self.calls = 0
        self.predictions: int | None = 0
        self._depth = 0

    def watch(self, function: Callable, *arguments, **options):
        """Call `function` and count its predictions."""
        self.calls += 1
        if self.predictions is None or sys.getprofile() is not None:
            self.predictions = None
            return function(*arguments, **options)
        self._depth = 0
        hook = self._note
        sys.setprofile(hook)
        try:
            return function(*arguments, **options)
        finally:
            if sys.getprofile() is not hook:
                self.predictions = None
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument) -> None:
        if frame.f_code.co_name not in METHODS:
            return
        if event == "call":
            self.predictions = (self.predictions or 0) + (self._depth == 0)
            self._depth += 1
        elif event == "return":
            self._depth -= 1
