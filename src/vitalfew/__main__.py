"""Command line entry point for ``python -m vitalfew``."""

from vitalfew.cli.main import app

if __name__ == "__main__":
    app()
