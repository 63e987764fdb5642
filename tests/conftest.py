"""Profiles of hypothesis (choose one with ``--hypothesis-profile``), a PostgreSQL server, and clusters of Dask."""

from hypothesis import HealthCheck, settings

from dask_cluster import dask_client  # noqa: F401
from postgres import mortal_postgres, postgres  # noqa: F401

COMMON = {"deadline": None, "derandomize": True, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("default", max_examples=50, **COMMON)
settings.register_profile("asan", max_examples=15, **COMMON)
settings.register_profile("thorough", max_examples=1000, **COMMON)
settings.load_profile("default")
