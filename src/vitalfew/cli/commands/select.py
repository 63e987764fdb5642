"""``vitalfew select``: selection of informative features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from vitalfew.cli import options

if TYPE_CHECKING:
    import pyarrow as pa

    from vitalfew.cli.task import Problem

# Default number of features, or rule, of each method.
METHODS = {"mdl": "mdl", "information": "fdr", "lasso": "1se", "greedy": "bic", "best": "bic"}
COLUMNS = {
    "feature": "feature",
    "information": "information (bits)",
    "p_value": "p-value",
    "weight": "weight",
    "speaks_for": "evidence for",
}
# Rules that only the method information takes.
OF_INFORMATION = ("fdr", "gain")
# Number of intervals with equally many rows into which a numeric target is cut.
INTERVALS = 10


def select(
    data: options.Data,
    target: options.Target,
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            metavar="N|RULE",
            help="Number of features, or a rule: mdl, bic, aic, ebic, cv, 1se, loo, holdout, fdr, gain.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="mdl, information (both for classes), lasso, greedy or best; default: mdl, or lasso for numbers.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the features as .csv, .json or .parquet; - writes CSV to standard output.",
        ),
    ] = None,
    reduced: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="FILE", help="Also write the table reduced to the selected columns and the target."
        ),
    ] = None,
    table: options.Table = None,
    query: options.Query = None,
    format: options.Format = None,
    na: options.Na = None,
    encoding: options.Encoding = "utf-8",
    kind: options.Kind = None,
    drop: options.Drop = None,
    task: options.Task = None,
    time_budget: options.TimeBudget = None,
    stream: options.Stream = False,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Select features and show the information of each about the target.

    The information is that of the feature alone (for a category, of its column), with the p-value of a G-test. The
    weight is its coefficient in the model. --time-budget is only supported with the method best.

    Tables larger than memory are streamed: features are then selected from counts (mdl and information, each feature
    separately) or from second moments (lasso, greedy, best; by bic unless --k is set). --k cv and --k 1se use summaries
    of five folds; for classes, the rows are read a second time to classify them.

    Example: vitalfew select adult.csv --target income --k mdl -o selected.csv --data small.parquet
    """
    del quiet, debug
    from vitalfew.cli.command_runner import note
    from vitalfew.cli.commands.stream_select import is_streamed, select_streamed
    from vitalfew.cli.tables import show, table_lines
    from vitalfew.cli.task import TableInput, read_problem
    from vitalfew.data.files import check_written, write_table
    from vitalfew.support.outputs import STANDARD, check_outputs

    check_outputs({"--output": output or STANDARD, "--data": reduced}, [data])
    check_written(output)
    check_written(reduced)
    where = TableInput(data, table, query, format, na, encoding)
    if stream or is_streamed(data):
        if reduced is not None:
            raise ValueError("--data is not supported when rows are streamed; omit it.")
        size = None if k is None else check_size(k)
        lines, n, method, rule = select_streamed(
            where, target, method, size, kind=kind, drop=drop, task=task, time_budget=time_budget, seed=seed
        )
        note("rows were streamed: features are selected from summaries, not from the rows (see the docs on summaries).")
    else:
        problem = read_problem(where, target, kind=kind, drop=drop, task=task)
        method = method or default_method(k, problem.task)
        lines, n = _select(problem, method, k, seed, time_budget)
        rule = k or METHODS[method]
    lines.sort(key=lambda f: -f.get("information", 0.0))
    if output is not None:
        write_table(as_table(lines), output)
    elif lines:
        show("\n".join(table_lines(lines, COLUMNS)))
    if reduced is not None:
        used = {f["column"] for f in lines}
        kept = problem.table.select([name for name in problem.table.column_names if name in used])
        write_table(kept.append_column(problem.target, problem.targets), reduced)
    note(f"{len(lines):,} of {n:,} features selected by {method}" + (f" ({rule})." if rule != method else "."))


def _select(
    problem: Problem, method: str, k: str | None, seed: int, time_budget: float | None
) -> tuple[list[dict[str, Any]], int]:
    """Return a line for each feature chosen from the rows, and the number of candidates."""
    from vitalfew.cli.progress_bars import working
    from vitalfew.encoding.describe import chosen_features
    from vitalfew.encoding.encoding import make_encoded

    frame = problem.frame
    with working(f"selecting features by {method}"):
        fitted = make_encoded(selector(method, k, problem.task, seed, time_budget), problem.kinds).fit(frame, problem.y)
        if method == "lasso" and k is not None and k.isdigit():
            fitted = _lasso_of_size(fitted, int(k)).fit(frame, problem.y)
    with working("computing mutual information"):
        told = information(problem, frame)
    lines = [{**told.get(f["feature"], told.get(f["column"], {})), **f} for f in chosen_features(fitted)]
    model = fitted.named_steps["model"]
    return lines, len(model.support_) if hasattr(model, "support_") else len(told)


def check_size(k: str) -> int | str:
    """Parse a number of features, or a rule."""
    from vitalfew.cli.models import parse_value
    from vitalfew.rules import rule_name

    size = parse_value(k)
    if isinstance(size, bool | float) or (isinstance(size, int) and size < 1):
        raise ValueError(f"--k must be a number of features or a rule, got {k!r}.")
    return rule_name(size)


def default_method(k: str | None, task: str) -> str:
    """Return the method that is used if none is named: the one that takes the rule."""
    if task != "classes":
        return "lasso"
    return "information" if k is not None and k.lower() in OF_INFORMATION else "mdl"


def check_method(method: str, size: int | str) -> None:
    """Check that a method takes the rule, if only one of them does."""
    if size in OF_INFORMATION and method != "information":
        raise ValueError(
            f"--k {size} is a rule of the method information, which requires classes; use --method information, or "
            f"another rule with {method}."
        )


def selector(method: str, k: str | None, task: str, seed: int, time_budget: float | None) -> Any:
    """Return the model that selects."""
    from vitalfew.cli.models import configured, make_model
    from vitalfew.families.bayes.information_ranking import InformationRanking
    from vitalfew.families.bayes.naive_bayes import NaiveBayes
    from vitalfew.support.suggest import suggestion

    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; {suggestion(method, list(METHODS), 'the methods are')}")
    if time_budget is not None and method != "best":
        raise ValueError(f"--time-budget is only supported with --method best; omit it with {method}.")
    size = check_size(k or METHODS[method])
    check_method(method, size)
    if method in ("mdl", "information"):
        if task == "numeric":
            raise ValueError(f"method {method!r} requires classes; for a numeric target use lasso, greedy or best.")
        made = NaiveBayes(features=size) if method == "mdl" else InformationRanking(k=size)
        return configured(made, seed)
    model = make_model(method, task, seed=seed)
    if method == "lasso":
        return model.set_params(alpha="bic" if isinstance(size, int) else size)
    model.set_params(k=size)
    return model if time_budget is None else model.set_params(time_budget=time_budget)


def _lasso_of_size(fitted: Any, k: int) -> Any:
    """Return an unfitted model for the largest support on the path with at most k features."""
    import numpy as np
    from sklearn.base import clone

    path = fitted.named_steps["model"].path_
    fits = np.flatnonzero(np.asarray(path.n_features) <= k)
    alpha = float(np.asarray(path.grid)[fits[-1] if fits.size else 0])
    return clone(fitted).set_params(model__alpha=alpha)


def information(problem: Problem, frame: Any) -> dict[str, dict[str, float]]:
    """Return the information of each feature about the target, in bits, with p-values; a numeric target is binned."""
    import numpy as np

    from vitalfew.encoding.encoding import encoded_features, make_encoded
    from vitalfew.families.bayes.information_ranking import InformationRanking

    y = problem.y
    if problem.task == "numeric":
        y = np.searchsorted(np.unique(np.quantile(y, np.arange(1, INTERVALS) / INTERVALS)), y, side="right")
    fitted = make_encoded(InformationRanking(k=0), problem.kinds).fit(frame, y)
    ranking = fitted.named_steps["model"]
    return {
        f.name: {"information": float(bits), "p_value": float(p)}
        for f, bits, p in zip(encoded_features(fitted), ranking.scores_, ranking.p_values_)
    }


def as_table(lines: list[dict[str, Any]]) -> pa.Table:
    """Return the chosen features with their ranks as a table."""
    import pyarrow as pa

    types = {"rank": pa.int64(), "feature": pa.string(), "column": pa.string(), "speaks_for": pa.string()}
    names = ["rank", "feature", "column", "information", "p_value", "weight", "speaks_for"]
    rows = [{"rank": i, **found} for i, found in enumerate(lines, start=1)]
    return pa.table({name: pa.array([row.get(name) for row in rows], types.get(name, pa.float64())) for name in names})
