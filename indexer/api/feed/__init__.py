"""Changes in the market as they happen, by WebSocket or as server-sent events."""
