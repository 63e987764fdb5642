"""Data frames, arrays and sparse matrices, read and checked column by column."""
