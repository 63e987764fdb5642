"""Errors and warnings of vitalfew. Every error message states what was received, what was expected, and the remedy."""


class DataFileError(ValueError):
    """Data file that cannot be read; the message says why and what to do."""


class RuleError(ValueError):
    """Rule that is not defined for the path of the model family."""


class ModelFileError(ValueError):
    """Model file that is truncated or modified, or file that is not a model file."""


class SealedFileError(ValueError):
    """Sealed test set file that is truncated or modified, or file that is not one."""


class TimeBudgetError(TimeoutError):
    """Computation stopped because its time budget is spent."""


class VitalfewWarning(UserWarning):
    """Base class of the warnings of this package."""


class DiscretizationWarning(VitalfewWarning):
    """Numeric column treated in a way the user may not expect."""


class SeparationWarning(VitalfewWarning):
    """Classifier that separates its training labels perfectly, so that only the penalty bounds its coefficients."""


class SmallerModelWarning(VitalfewWarning):
    """Fewer variables than requested explain everything the data can explain."""


class UnfinishedWarning(VitalfewWarning):
    """Search stopped because its time budget is spent; the result so far is valid."""


class CheckpointWarning(VitalfewWarning):
    """Results that could not be saved to a file."""


class PrefittedWarning(VitalfewWarning):
    """Model with a prefitted component, which may have been fitted on samples used for testing."""


class ConditioningWarning(VitalfewWarning):
    """Coefficients with fewer accurate digits than expected, because of rounding."""


class GuessingWarning(VitalfewWarning):
    """Learner that found nothing better than guessing."""


class VersionWarning(VitalfewWarning):
    """File written with other versions of the packages it depends on."""


class UnlabeledDataWarning(VitalfewWarning):
    """Unlabeled samples that worsen the model and were left out."""
