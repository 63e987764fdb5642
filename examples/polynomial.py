"""Polynomials by subsets, forward-fitting and myopic steps, and the choice between classes of functions by BIC.

Run with `python examples/polynomial.py [folder]`: it prints the tables and, given a folder, writes charts there.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

from vitalfew import BestSubsetRegressor, ForwardFittingRegressor, GreedySubsetRegressor, Ridge, bic


def sample(n=50, seed=0):
    """A cubic with noise."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, n))
    return x, 1 - 0.9 * x - 0.6 * x**2 + 0.8 * x**3 + 0.15 * rng.normal(size=n)


def powers_of(x, degree=8):
    """1, x, x², … as a frame: the constant is a feature like the others."""
    make = PolynomialFeatures(degree).fit(x[:, None])
    return pd.DataFrame(make.transform(x[:, None]), columns=[f"x^{p}" for p in range(degree + 1)])


def searches(powers, y, k=4):
    """A model by each way to search; forward-fitting takes more steps, as its steps are smaller."""
    options = {"fit_intercept": False}
    return {
        "best subset": BestSubsetRegressor(k, **options).fit(powers, y),
        "greedy": GreedySubsetRegressor(k, **options).fit(powers, y),
        "forward-fitting": ForwardFittingRegressor(10, **options).fit(powers, y),
        "myopic": ForwardFittingRegressor(10, myopic=True, **options).fit(powers, y),
    }


def function_classes(x, y):
    """BIC of least squares in several classes of functions: nats, the less the better."""
    n = len(y)
    designs = {
        "linear": x[:, None],
        "quadratic": PolynomialFeatures(2, include_bias=False).fit_transform(x[:, None]),
        "cubic": PolynomialFeatures(3, include_bias=False).fit_transform(x[:, None]),
        "cubic spline, 6 knots": SplineTransformer(6, include_bias=False).fit_transform(x[:, None]),
        "radial, 10 centres": rbf_kernel(x[:, None], np.linspace(-1, 1, 10)[:, None], gamma=8.0),
    }
    rows = []
    for name, design in designs.items():
        error = np.mean((y - Ridge(0.0).fit(design, y).predict(design)) ** 2)
        log_likelihood = -0.5 * n * (np.log(2 * np.pi * error) + 1)
        parameters = np.linalg.matrix_rank(design) + 2  # with the constant and the variance
        rows.append(
            {"functions": name, "parameters": parameters, "J/n": error, "BIC": bic(log_likelihood, parameters, n)}
        )
    return pd.DataFrame(rows)


def draw_fits(x, y, models, path):
    """Each model's curve over the points."""
    import altair as alt

    grid = np.linspace(x.min(), x.max(), 200)
    lines = [
        {"x": float(a), "y": float(b), "model": name}
        for name, model in models.items()
        for a, b in zip(grid, model.predict(powers_of(grid)))
    ]
    points = [{"x": float(a), "y": float(b)} for a, b in zip(x, y)]
    chart = alt.layer(
        alt.Chart(alt.Data(values=points)).mark_circle(color="gray").encode(x="x:Q", y="y:Q"),
        alt.Chart(alt.Data(values=lines)).mark_line().encode(x="x:Q", y="y:Q", color="model:N"),
    )
    chart.properties(width=480, height=300, title="polynomials by four searches").save(str(path))


def main(folder=None):
    """The tables, and the charts if there is a folder for them."""
    x, y = sample()
    powers = powers_of(x)
    models = searches(powers, y)
    for name in ("best subset", "greedy"):
        path = models[name].path_
        print(f"\n{name}")
        print(path.to_frame()[["k", "enters", "leaves", "mean_squared_error"]].to_string(index=False))
    for name in ("forward-fitting", "myopic"):
        print(f"\n{name}")
        print(models[name].path_.to_frame().to_string(index=False, float_format="%+.3f"))
    classes = function_classes(x, y)
    print("\nfunctions by BIC, the least first")
    print(classes.sort_values("BIC").to_string(index=False, float_format="%.4g"))
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        draw_fits(x, y, models, Path(folder) / "polynomial.svg")
        models["greedy"].path_.plot().save(str(Path(folder) / "polynomial-path.svg"))
    return models, classes


if __name__ == "__main__":
    main(*sys.argv[1:2])
