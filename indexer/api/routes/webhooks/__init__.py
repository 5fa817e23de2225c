"""Webhooks of a wallet: its endpoints, their secrets, and their deliveries."""
