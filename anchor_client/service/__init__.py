"""What the services share: loops, logs, metrics, locks and private files. It knows nothing of the market."""
