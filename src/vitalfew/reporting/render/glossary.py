"""Glossary of the report, each term in a sentence or two."""

GLOSSARY = {
    "Information": (
        "The mutual information between a feature and the target, in bits. Zero bits mean independence; as many bits "
        "as the entropy of the target mean that the feature determines it."
    ),
    "In context": (
        "The bits that a feature adds to the other features. This can be less than alone (redundancy) or "
        "more (synergy)."
    ),
    "p-value": "The probability of at least this much information if feature and target were independent.",
    "q-value": (
        "The expected fraction of false discoveries among the features with at most this q-value (Benjamini and "
        "Hochberg, 1995)."
    ),
    "Description length": (
        "Bits to encode the model and then the target given the model (Rissanen, 1978). A feature is worth including "
        "if it saves more bits than it costs."
    ),
    "BIC": "Deviance plus the logarithm of the number of rows for each parameter (Schwarz, 1978).",
    "Leave-one-out": "Each row is predicted by a model fitted on all other rows.",
    "Cross-validation": (
        "Rows are split into folds; each fold is predicted by a model that was selected and fitted on the others."
    ),
    "One standard error": (
        "Among the models whose error is within one standard error of the best, the one with the fewest features is "
        "used."
    ),
    "Stability": (
        "The fraction of random halves of the rows in which a feature is selected; features above the threshold are "
        "rarely selected by chance (Meinshausen and Bühlmann, 2010)."
    ),
    "Synergy": "The bits that features carry jointly beyond the sum of their bits alone.",
    "Variance inflation": (
        "The factor by which the variance of a coefficient grows because other features predict its feature."
    ),
    "Sealed test": (
        "Rows set aside before any analysis. They are opened to score a final model; the openings are "
        "counted, and more than one makes the error too optimistic."
    ),
}
