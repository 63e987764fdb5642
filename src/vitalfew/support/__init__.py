"""Helpers without statistics: checks, progress, threads, atomic writes, deadlines, fingerprints."""
