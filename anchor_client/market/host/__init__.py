"""Hosts and what they list: registration, listings, heartbeats, reputation."""
