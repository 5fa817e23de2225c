"""Transactions that clients ask for, sign and hand back."""
