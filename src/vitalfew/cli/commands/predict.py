"""``vitalfew predict``: predictions of a model for new rows."""

from __future__ import annotations

from typing import Annotated

import typer

from vitalfew.cli import options


def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file written by fit.", show_default=False)],
    data: options.Data,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file: .csv, .tsv, .parquet, .arrow or .json; - writes to standard output.",
        ),
    ] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="Also write the probability of each class.")] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMN",
            help="Column of DATA to copy to the output, for instance a key; may be repeated.",
        ),
    ] = None,
    table: options.Table = None,
    query: options.Query = None,
    format: options.Format = None,
    na: options.Na = None,
    encoding: options.Encoding = "utf-8",
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Predict all rows of a table with a model written by fit.

    The table must have the columns that the model was fitted on, in any order. Other columns are ignored.

    Example: vitalfew predict model.json new.csv --proba --keep id -o predictions.csv
    """
    del quiet, debug
    import numpy as np
    import pyarrow as pa

    from vitalfew.cli.model_files import is_model_file, read_model
    from vitalfew.cli.progress_bars import working
    from vitalfew.cli.task import TableInput, as_frame
    from vitalfew.data.files import check_written, write_table
    from vitalfew.support.outputs import check_outputs
    from vitalfew.support.suggest import check_names

    check_outputs({"--output": output}, [model, data])
    check_written(output)
    if is_model_file(data) and not is_model_file(model):
        raise ValueError(
            f"the model comes first, but {model!r} is not a model file and {data!r} is one; use: "
            f"vitalfew predict {data} {model}"
        )
    fitted = read_model(model)
    rows = TableInput(data, table, query, format, na, encoding).read()
    check_names(keep or (), rows.column_names)
    if proba and not hasattr(fitted, "predict_proba"):
        raise ValueError("--proba requires a classifier, but this model predicts a number; omit --proba.")
    columns = {name: rows[name] for name in keep or ()}
    frame = as_frame(rows)
    with working("predicting"):
        if rows.num_rows == 0:
            answers, shares = np.array([]), np.empty((0, len(getattr(fitted, "classes_", ()))))
        else:
            answers = fitted.predict(frame)
            shares = fitted.predict_proba(frame) if proba else np.empty((len(answers), 0))
    columns[_free("prediction", columns)] = pa.array(answers.tolist())
    if proba:
        for c, name in enumerate(fitted.classes_.tolist()):
            columns[_free(f"P({name})", columns)] = pa.array(shares[:, c])
    write_table(pa.table(columns), output)


def _free(name: str, taken) -> str:
    while name in taken:
        name += "_"
    return name
