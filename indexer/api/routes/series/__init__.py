"""Time series of the market: /api/series/..."""

from indexer.api.routes.series import capacity, earnings, money, rates, rentals

ROUTERS = (capacity.router, rentals.router, rates.router, money.router, earnings.router)
