"""Boosting keeps improving after the training error is zero, and margins explain why.

Trees are boosted on handwritten digits. After a few rounds the training error is zero; the error on new digits falls
for many more rounds, while the margins of the training rows still grow. The second part boosts stumps with the
exponential and the logistic loss, and compares them with logistic regression on the same features.

    python examples/boosting.py [directory for the charts]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from vitalfew import AdaBoost, LogisticRegression

ROUNDS = 200


def digits():
    """Return half of the digits for training and half for testing."""
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)


def errors_fall_on(charts: Path | None) -> None:
    """Print training and test error of boosted trees, and the smallest margins."""
    X, X_test, y, y_test = digits()
    model = AdaBoost(ROUNDS, estimator="tree").fit(X, y, validation=(X_test, y_test))
    trained, tested = model.path_.trained, model.path_.validation_error
    first = int(np.argmax(trained == 0))
    print(f"boosted trees on {len(np.unique(y))} digits, {len(y)} rows to learn from")
    print("rounds  training error  test error  rows with a margin below 0.3")
    for t in sorted({0, first, 2 * first + 1, 49, ROUNDS - 1}):
        small = model.path_.runs[0].margins[t][: int(200 * 1.3 / 2)].sum()
        print(f"{t + 1:6d}  {trained[t]:14.3f}  {tested[t]:10.3f}  {small:28.1%}")
    print(f"the training error is zero after {first + 1} rounds; the test error falls from {tested[first]:.1%} there "
          f"to {tested[-1]:.1%}")  # fmt: skip
    if charts is not None:
        model.plot_error().save(charts / "boosting_error.html")
        model.plot_margins([1, first + 1, 50, ROUNDS]).save(charts / "boosting_margins.html")


def two_losses() -> None:
    """Compare two boosting losses and logistic regression on the pixels, for even against odd digits."""
    X, X_test, y, y_test = digits()
    odd, odd_test = y % 2, y_test % 2
    models = {
        "boosted stumps, exponential loss": AdaBoost("cv", max_rounds=300, random_state=0),
        "boosted stumps, logistic loss": AdaBoost("cv", max_rounds=300, loss="logistic", random_state=0),
        "logistic regression on pixels": LogisticRegression("cv", standardize=False),
    }
    print("\nodd digits against even ones")
    for name, model in models.items():
        model.fit(X, odd)
        used = f"{model.rounds_} rounds on {model.support_.sum()} pixels" if hasattr(model, "rounds_") else ""
        used = used or f"{model.support_.sum()} pixels"
        print(f"  {name:34s} test error {1 - model.score(X_test, odd_test):.3f}  {used}")


if __name__ == "__main__":
    errors_fall_on(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    two_losses()
