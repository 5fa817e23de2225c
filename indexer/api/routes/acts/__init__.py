"""Acts of a wallet, one file an area. Each route's operation id is the client's action: `rental_extend` is
`market.rental.extend`."""

from indexer.api.routes.acts import (
    charges,
    governance,
    host,
    jobs,
    listings,
    market,
    mfp,
    orders,
    profile,
    requests,
    spot,
    staking,
)

ROUTERS = tuple(
    module.router
    for module in (
        *(orders, jobs, profile, spot, requests, charges),
        *(host, listings, mfp, staking, governance, market),
    )
)
