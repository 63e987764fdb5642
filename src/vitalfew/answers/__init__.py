"""Answers to the four questions, computed from predictions of samples that no model has seen."""
