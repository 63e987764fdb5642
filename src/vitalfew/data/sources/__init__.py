"""Sources of rows: files and data frames, read as Arrow batches."""
