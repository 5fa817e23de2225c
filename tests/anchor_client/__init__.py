"""Tests of the Python client, on a market that they share."""
