"""Time series of the market: /api/series/..."""
