"""What `gpu-market` can do, by the panels of its help; a folder for each area."""

PANELS = {
    "Renting": (
        "market.gpus",
        "market.tokens",
        "market.listings",
        "market.listing",
        "spot.spot",
        "rental.rent",
        "rental.run",
        "template",
        "spot.bid",
        "rental.jobs",
        "job",
        "rental.running:extend",
        "rental.keep_alive",
        "rental.running:stop",
        "rental.running:rate",
        "rental.running:claim",
        "rental.running:contest",
        "charges",
        "request",
    ),
    "Staking": ("staking", "mfp", "governance"),
    "Running a market": (
        "services.up",
        "services.demo",
        "indexer",
        "services.api",
        "keeper",
        "market.post_price",
        "market.pause",
        "host",
    ),
    "Opening a market": ("deploy", "deploy.upgrade", "deploy.migrate", "deploy.doctor"),
    "Settings": ("wallet", "config", "wallet.sign_in", "api_key", "webhook"),
}
"""Commands without a group, and groups, as paths in this package."""
