"""Which rows to label next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import entr
from sklearn.preprocessing import normalize

# The most promising rows among which the choice is made, for each row to choose.
CANDIDATES = 20


def label_next(share: NDArray[np.float64], X: sparse.csr_matrix, n: int) -> NDArray[np.intp]:
    """Rows of which the model is unsure, which are like many others, and unlike those already chosen.

    A row scores the entropy of its classes times its mean cosine with all rows; each choice takes from the others the
    share by which they are like it.
    """
    n = min(n, len(share))
    unit = normalize(X)
    centre = np.asarray(unit.mean(axis=0)).ravel()
    score = entr(share).sum(axis=1) * np.maximum(unit @ centre, 1e-12)
    candidates = np.argsort(-score, kind="stable")[: max(CANDIDATES * n, 200)]
    near, left = unit[candidates], score[candidates].copy()
    chosen = []
    for _ in range(n):
        best = int(np.argmax(left))
        chosen.append(int(candidates[best]))
        left *= 1.0 - np.clip(np.asarray((near @ near[best].T).todense()).ravel(), 0.0, 1.0)
        left[best] = -1.0
    return np.array(chosen, dtype=np.intp)
