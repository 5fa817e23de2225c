"""What changes in the market, told as it does: by WebSocket or as server-sent events."""
