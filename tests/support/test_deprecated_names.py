"""Old names work for one release, with a warning."""

import numpy as np
import pytest

from vitalfew import Moments, label_documents
from vitalfew.labeling.label_report import LabelReport
from vitalfew.support.deprecated_names import renamed_parameter


@renamed_parameter("colour", "color")
def paint(size, *, color="red"):
    return size, color


def test_an_old_parameter_warns_and_works():
    assert paint(1, color="blue") == (1, "blue")
    with pytest.warns(FutureWarning, match="'colour' was renamed to 'color'") as caught:
        assert paint(1, colour="blue") == (1, "blue")
    assert caught[0].filename == __file__


def test_both_names_are_an_error():
    with pytest.raises(TypeError, match="got both 'color' and its old name 'colour'"):
        paint(1, color="blue", colour="blue")


def test_label_report_has_its_old_attributes():
    report = LabelReport("a", "b", [], 5, {"x": 2, "y": 1}, 7)
    assert report.n_unlabeled == 2
    with pytest.warns(FutureWarning, match="n_labeled"):
        assert report.n_labelled == report.n_labeled
    with pytest.warns(FutureWarning, match="n_unlabeled"):
        assert report.n_unlabelled == 2
    assert report.to_dict()["n_labelled"] == report.to_dict()["n_labeled"] == {"x": 2, "y": 1}


def test_label_documents_takes_its_old_parameter(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,text,label\n1,good one,+\n2,bad one,-\n3,good two,none\n4,bad two,-\n5,good,+\n")
    with pytest.warns(FutureWarning, match="'unlabelled' was renamed to 'unlabeled'"):
        report = label_documents(
            path, None, "text", "label", key="id", into=str(tmp_path / "o.csv"), unlabelled="none", dry_run=True
        )
    assert report.n_unlabeled == 1


def test_moments_take_their_old_parameter():
    moments = Moments.from_data(np.arange(6.0).reshape(3, 2), np.arange(3.0))
    with pytest.warns(FutureWarning, match="'is_centred' was renamed"):
        old = moments.second(is_centred=False)
    assert np.array_equal(old[0], moments.second(is_centered=False)[0])
