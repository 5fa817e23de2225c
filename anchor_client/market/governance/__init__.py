"""Proposals: what stakers vote on, and what executes it."""
