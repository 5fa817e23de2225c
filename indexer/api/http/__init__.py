"""Handling that all requests and answers share."""
