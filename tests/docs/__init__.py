"""Tests that the documentation names what exists."""
