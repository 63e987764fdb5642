"""Data frames, arrays and sparse matrices, read and checked by column."""
