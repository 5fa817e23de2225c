"""Helpers for tests that start processes: ports, certificates, and Agave's validator."""
