"""The market's API over HTTP: what anyone asks, signing in, and the feed."""
