"""Progress bars show themselves when asked for, and are silent otherwise."""

import time
from itertools import pairwise

import pytest

from vitalfew import WordPresence
from vitalfew.support.progress import kernel_progress, progress


def test_a_kernel_moves_the_bar(capsys):
    with kernel_progress(10, "words", True) as show:
        time.sleep(0.3)  # bars of short work never show
        show(4.0)
        time.sleep(0.2)
        show(9.0)
    shown = capsys.readouterr().err
    assert "words" in shown
    assert "9/10" in shown


@pytest.mark.parametrize("verbose", [None, False])
def test_silent_without_a_terminal(capsys, verbose):
    with kernel_progress(10, "words", verbose) as show:
        assert show is None
    with progress(3, "folds", verbose) as bar:
        time.sleep(0.3)
        bar.update()
    assert capsys.readouterr().err == ""


def test_a_kernel_reports_how_far_it_is(monkeypatch):
    """The callback gets the number of documents read so far if batches take a while."""
    from vitalfew.data.text import word_presence as text

    seen = []

    class Bar:
        def __enter__(self):
            return seen.append

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(text, "kernel_progress", lambda *_: Bar())
    WordPresence().fit(iter([["some words to read " * 400] * 4000] * 3))
    assert seen
    assert all(0 <= a <= b <= 12000 for a, b in pairwise(seen))
