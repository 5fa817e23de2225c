"""Shared code of the services: loops, logs, metrics, locks and private files. It knows nothing of the market."""
