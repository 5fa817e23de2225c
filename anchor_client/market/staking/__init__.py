"""Stake and its rewards."""
