"""Errors and warnings of vitalfew. Every error message says what was received, what was expected, and the remedy."""


class DataFileError(ValueError):
    """A file of data cannot be read; the message says why and what to do."""


class RuleError(ValueError):
    """A rule was asked for that the family's path cannot answer."""


class ModelFileError(ValueError):
    """A model file is not whole, was changed, or is not one."""


class SealedFileError(ValueError):
    """A file is not that of a sealed test set, not whole, or was changed."""


class TimeBudgetError(TimeoutError):
    """A computation was stopped because the time it was given is spent."""


class VitalfewWarning(UserWarning):
    """Base of the warnings of this package."""


class DiscretizationWarning(VitalfewWarning):
    """A numeric column was treated in a way the user may not expect."""


class SeparationWarning(VitalfewWarning):
    """A classifier fits its training labels perfectly: its coefficients are held by the penalty alone."""


class SmallerModelWarning(VitalfewWarning):
    """Fewer variables than were asked for explain all that the data can tell."""


class UnfinishedWarning(VitalfewWarning):
    """A search ended because its time was spent: what it has found so far stands."""


class CheckpointWarning(VitalfewWarning):
    """Results could not be kept in a file."""


class PrefittedWarning(VitalfewWarning):
    """A model brings a part that was fitted beforehand, perhaps on rows that are to test it."""


class ConditioningWarning(VitalfewWarning):
    """Rounding has left fewer digits in the coefficients than one may expect."""


class GuessingWarning(VitalfewWarning):
    """A learner found nothing that is better than guessing."""


class VersionWarning(VitalfewWarning):
    """A file was written with other versions of the packages it depends on."""


class UnlabeledDataWarning(VitalfewWarning):
    """Rows without labels do harm, and were left out of the model."""
