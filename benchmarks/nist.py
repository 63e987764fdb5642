"""Correct digits on NIST's reference data for least squares: the section NIST of the results.

Each number is -log10 of the relative error of the least accurate coefficient. Polynomials are given as raw powers,
rounded to doubles: "exact, as rounded" is the exact solution for these rounded numbers, in rational arithmetic.
vitalfew can do better because it recognizes columns that are powers of another column.
"""

import sys
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
from sklearn.linear_model import LinearRegression

from vitalfew import Moments, Ridge
from vitalfew.exceptions import ConditioningWarning

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "families"))
import nist
from run import circumstances, table, write_section


def exact(reference):
    """Solve the normal equations in rational arithmetic."""
    one = [Fraction(1)] if reference.has_intercept else []
    A = [[*one, *map(Fraction, row)] for row in reference.X.tolist()]
    b = [Fraction(v) for v in reference.y.tolist()]
    size = range(len(A[0]))
    lines = [[*(sum(r[i] * r[j] for r in A) for j in size), sum(r[i] * t for r, t in zip(A, b))] for i in size]
    for i in size:
        lines[i] = [v / lines[i][i] for v in lines[i]]
        for k in size:
            if k != i:
                lines[k] = [a - lines[k][i] * c for a, c in zip(lines[k], lines[i])]
    found = [line[-1] for line in lines]
    return (found[0], found[1:]) if reference.has_intercept else (0, found)


def rows(reference):
    model = Ridge(0, fit_intercept=reference.has_intercept).fit(reference.X, reference.y)
    return model.intercept_, model.coef_


def moments(reference):
    model = Ridge(0, fit_intercept=reference.has_intercept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConditioningWarning)
        model.fit_moments(Moments.from_data(reference.X, reference.y))
    return model.intercept_, model.coef_


def numpy(reference):
    ones = np.ones((len(reference.y), int(reference.has_intercept)))
    found = np.linalg.lstsq(np.hstack([ones, reference.X]), reference.y, rcond=None)[0]
    return (found[0], found[1:]) if reference.has_intercept else (0.0, found)


def scikit_learn(reference):
    model = LinearRegression(fit_intercept=reference.has_intercept).fit(reference.X, reference.y)
    return model.intercept_, model.coef_


WAYS = {
    "exact, as rounded": exact,
    "vitalfew, rows": rows,
    "vitalfew, Moments": moments,
    "NumPy lstsq": numpy,
    "scikit-learn": scikit_learn,
}


def main():
    """Write the table to RESULTS.md."""
    lines = []
    for reference in nist.ALL:
        digits = {name: f"{max(reference.digits(*way(reference)), 0):.1f}" for name, way in WAYS.items()}
        lines.append({"data": reference.name, **digits})
    found = table(lines, {key: key for key in lines[0]})
    write_section("NIST", f"{circumstances()}\n\n{__doc__.partition('.')[2].strip()}\n\n{found}")
    print(found)


if __name__ == "__main__":
    main()
