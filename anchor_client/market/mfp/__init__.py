"""GPU points, and the market tokens that hosts lock against the extra fee."""
