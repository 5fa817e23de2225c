"""How much clients may ask: of the API, and of the node behind it."""
