"""Bids for machines that are held on spot."""
