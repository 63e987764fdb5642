"""Profiles of hypothesis (choose one with ``--hypothesis-profile``), databases to read and write, clusters of Dask."""

import pytest
from hypothesis import HealthCheck, settings

from dask_cluster import dask_client  # noqa: F401
from postgres import mortal_postgres, new_database, postgres  # noqa: F401

COMMON = {"deadline": None, "derandomize": True, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("default", max_examples=50, **COMMON)
settings.register_profile("asan", max_examples=15, **COMMON)
settings.register_profile("thorough", max_examples=1000, **COMMON)
settings.load_profile("default")


@pytest.fixture(params=["duckdb", "sqlite", "postgresql"])
def database(request, tmp_path):
    """An empty database of each engine: the name of a file that is not there yet, or an address."""
    if request.param == "postgresql":
        return new_database(request.getfixturevalue("postgres"))
    return str(tmp_path / f"t.{request.param}")
