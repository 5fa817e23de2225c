"""The dashboard as it was built from `dashboard/`, and its manifest."""
