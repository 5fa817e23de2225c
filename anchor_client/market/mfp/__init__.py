"""The catalog of GPU models, and the market tokens that hosts lock against the extra fee."""
