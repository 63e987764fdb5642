"""``python -m vitalfew`` is the command line."""

from vitalfew.cli.main import app

if __name__ == "__main__":
    app()
