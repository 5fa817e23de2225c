"""`gpu-market demo`: two rentals to the last base unit, checked on the chain, in SQL and through the API."""
