"""Glossary of the report, each term in a sentence or two."""

GLOSSARY = {
    "Information": (
        "How many bits a feature tells about the target: the mutual information. Zero bits say nothing; as many bits "
        "as the target's entropy say all."
    ),
    "In context": (
        "The bits that a feature adds to what other features already tell. It may be less than alone (redundant) or "
        "more (they work together)."
    ),
    "p-value": "The chance of at least so much information if feature and target had nothing to do with each other.",
    "q-value": (
        "The expected share of false discoveries among the features with at most this q-value (Benjamini and "
        "Hochberg, 1995)."
    ),
    "Description length": (
        "Bits to write down the model and then the target with its help (Rissanen, 1978). A feature earns its place "
        "when it saves more bits than it costs."
    ),
    "BIC": "Misfit plus half the logarithm of the number of rows for every parameter (Schwarz, 1978).",
    "Leave-one-out": "Every row is predicted by a model that has not seen it.",
    "Cross-validation": (
        "Rows are dealt into folds; each fold is predicted by models that were selected and fitted on the others."
    ),
    "One standard error": (
        "Of all models whose error is within one standard error of the best, the one with the fewest features is taken."
    ),
    "Stability": (
        "The share of random halves of the rows in which a feature is chosen again; features above the threshold are "
        "rarely chosen by chance (Meinshausen and Bühlmann, 2010)."
    ),
    "Synergy": "Bits that features tell jointly beyond the sum of what each tells alone.",
    "Variance inflation": (
        "How many times the variance of a coefficient grows because other features predict its feature."
    ),
    "Sealed test": (
        "Rows put aside before anything was looked at. They are opened to score a finished model; the openings are "
        "counted, and more than one makes the error too hopeful."
    ),
}
