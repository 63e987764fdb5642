"""The report: facts first, rendering second."""
