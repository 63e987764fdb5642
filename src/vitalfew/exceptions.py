"""Errors and warnings of vitalfew. Every error message states what was received, what was expected, and the remedy."""


class DataFileError(ValueError):
    """Raised when a data file cannot be read; the message says why and what to do."""


class RuleError(ValueError):
    """Raised when a rule is not defined for a model family."""


class ModelFileError(ValueError):
    """Raised when a model file is truncated or modified, or is not a model file."""


class SealedFileError(ValueError):
    """Raised when a sealed test set is truncated or modified, or is not a sealed test set."""


class TimeBudgetError(TimeoutError):
    """Raised when a computation exceeds its time budget."""


class VitalfewWarning(UserWarning):
    """Base class of the warnings of this package."""


class DiscretizationWarning(VitalfewWarning):
    """Warning that a numeric column is treated in a way the user may not expect."""


class SeparationWarning(VitalfewWarning):
    """Warning that the training classes are linearly separable, so that only the penalty bounds the coefficients."""


class SmallerModelWarning(VitalfewWarning):
    """Warning that the model has fewer features than requested, because no further feature improves the fit."""


class UnfinishedWarning(VitalfewWarning):
    """Warning that a search has used up its time budget; it returns the best result so far."""


class CheckpointWarning(VitalfewWarning):
    """Warning that results could not be saved to a checkpoint file."""


class PrefittedWarning(VitalfewWarning):
    """Warning that a model has a prefitted component, which may have been fitted on test samples."""


class ConditioningWarning(VitalfewWarning):
    """Warning that rounding leaves fewer accurate digits in the coefficients than expected."""


class GridEndWarning(VitalfewWarning):
    """Warning that a rule picked the smallest penalty of the grid, so that smaller ones may be better."""


class GuessingWarning(VitalfewWarning):
    """Warning that a learner found nothing better than random guessing."""


class VersionWarning(VitalfewWarning):
    """Warning that a file was written with other versions of the packages it depends on."""


class UnlabeledDataWarning(VitalfewWarning):
    """Warning that the unlabeled samples would make the model worse and were left out."""
