"""`save` and `load`: fitted models as JSON documents with a schema and a checksum."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from pathlib import Path
from typing import Any

import sklearn
from sklearn.utils.validation import check_is_fitted

from vitalfew.exceptions import ModelFileError, VersionWarning
from vitalfew.export.codec import Decoder, Encoder
from vitalfew.export.registry import BY_NAME, RECORDS
from vitalfew.support.atomic_write import written_aside
from vitalfew.support.limits import read_json

FORMAT = "vitalfew.model"
SCHEMA = 1
DEEPEST = 200  # nesting of JSON; a nested estimator takes about six levels


def save(model, path) -> None:
    """Write a fitted model to a file that :func:`load` reads, on this machine or another.

    The file is JSON: the class, its parameters, what predictions need, the names of the features and the curve of the
    rule that chose (`selection_`). It holds no code. A checksum guards against damage, not against deliberate changes:
    keep files where only trusted users can write.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of this package; or a ``Pipeline`` of them with scikit-learn's ``ColumnTransformer``,
        ``StandardScaler``, ``MinMaxScaler``, ``MaxAbsScaler``, ``RobustScaler``, ``SimpleImputer``, ``OneHotEncoder``
        and ``OrdinalEncoder``. Ensembles, ``GreedySearch`` and the models of a :func:`~vitalfew.report` can be saved if
        their learners can. Functions (as `kernel`, `scoring` or in a ``FunctionTransformer``) cannot.
    path : str or path
        Written atomically: an existing file is replaced as a whole or left unchanged.

    Notes
    -----
    Training samples and whole paths are not saved, except the samples that ``KernelRidge`` predicts from. A loaded
    model has no `path_` (``AdaBoost`` and ``Bagging`` keep theirs, without the margins and the bags of training
    samples), no `near_ties_`, `history_`, or `oob_decision_function_`; accessing them is an ``AttributeError``.
    ``NaiveBayes`` keeps its counts, so that `partial_fit` can continue.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from vitalfew import DecisionTree, load, save
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DecisionTree().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "tree.json")
    ...     loaded = load(Path(folder) / "tree.json")
    >>> bool((loaded.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    check_is_fitted(model)
    text = dump(model)
    with written_aside(path, "w") as file:
        file.write(text)


def load(path) -> Any:
    """Read a model that :func:`save` wrote.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    estimator
        Its predictions equal those of the saved model, bit for bit on the same machine. :func:`save` lists what a file
        does not keep.

    Raises
    ------
    vitalfew.exceptions.ModelFileError
        If the file is truncated or modified, has a newer version, its parts are inconsistent, or it requests more
        memory than a file of its size may.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from vitalfew import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.json"
    ...     _ = path.write_text('{"format": "vitalfew.model", "sche')
    ...     load(path)
    Traceback (most recent call last):
    ...
    vitalfew.exceptions.ModelFileError: ...model.json: it is truncated, or not JSON (...)...
    """
    try:
        return parse(Path(path).read_bytes())
    except ModelFileError as error:
        raise ModelFileError(f"cannot load {os.fspath(path)}: {error}.") from error.__cause__
    except MemoryError as error:
        raise ModelFileError(f"cannot load {os.fspath(path)}: not enough memory.") from error


def dump(model) -> str:
    """Return the JSON document of a model."""
    from vitalfew import __version__

    encoder = Encoder(RECORDS)
    name = type(model).__name__
    document = {
        "format": FORMAT,
        "schema": SCHEMA,
        "vitalfew": __version__,
        "scikit-learn": sklearn.__version__,
        "class": name,
        "model": encoder.encode(model, name),
    }
    lines = {"checksum": checksum(document), **document}
    return "{\n" + ",\n".join(f"{json.dumps(k)}: {_json(v)}" for k, v in lines.items()) + "\n}\n"


def parse(raw: bytes) -> Any:
    """Return the model of a JSON document."""
    document = _read(raw)
    given = document.pop("checksum", None)
    if given != checksum(document):
        raise ModelFileError("its checksum does not match, so the file was changed or corrupted; save the model again")
    decoder = Decoder(BY_NAME, len(raw))
    try:
        model = decoder.decode(document["model"])
    except ModelFileError as error:
        raise ModelFileError(f"{error}; save the model again") from error.__cause__
    except Exception as error:  # errors of NumPy, SciPy and constructors about unexpected values
        raise ModelFileError(f"its parts are inconsistent ({error}); save the model again") from error
    if type(model).__name__ != document.get("class"):
        raise ModelFileError("the class of the model does not match its header; save the model again")
    _warn_of_versions(document, decoder.classes)
    return model


def checksum(document: dict[str, Any]) -> str:
    """Return the SHA-256 of a document without its checksum: sorted keys, no spaces, ASCII."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _read(raw: bytes) -> dict[str, Any]:
    """Parse a document, and check its format and schema."""
    try:
        document = read_json(raw, deepest=DEEPEST, is_finite=True)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"it is truncated, or not JSON ({error}); save the model again") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f"it is not a model file: its format is not {FORMAT!r}; write one with vitalfew.save")
    schema = document.get("schema")
    if type(schema) is not int or schema < 1:
        raise ModelFileError(f"its schema is {schema!r}, not a number; save the model again")
    if schema > SCHEMA:
        raise ModelFileError(
            f"it was written by vitalfew {document.get('vitalfew')} with schema {schema}, but this version supports "
            f"schemas up to {SCHEMA}; upgrade vitalfew"
        )
    return document


def _warn_of_versions(document: dict[str, Any], classes: set[type]) -> None:
    """Warn if scikit-learn's version changed: its objects are saved whole and may differ between versions."""
    then, now = str(document.get("scikit-learn")), sklearn.__version__
    is_theirs = any(cls.__module__.startswith("sklearn.") for cls in classes)
    if is_theirs and then.split(".")[:2] != now.split(".")[:2]:
        warnings.warn(
            f"the model contains objects of scikit-learn {then}, but {now} is installed: they may behave "
            "differently. Compare predictions, or save the model again with this version.",
            VersionWarning,
            stacklevel=4,
        )
