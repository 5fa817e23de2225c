"""Rentals from the order to the end."""
