"""The program's rules in Python, exact to the base unit and the second: what the chain will say, before it is asked.

Each module is the twin of the Rust file it is named after; there is no other copy.

`math`          `math.rs`: shares, accruals and conversions, the rounding direction in the name
`rental`        `state/rental.rs`: fees, rates, how an escrow is divided, and when a rental ends
`order`         `instructions/rental/order.rs`: what an order costs
`subsidy`       `state/subsidy.rs`: what the subsidy pool adds to an order's price, and its bounds
`listing`       `state/listing.rs`: who holds a machine, whether its host is silent, what bid it takes
`host`          `state/host.rs`: reputation, and the extra fee that locked tokens take off
`payment_mint`  `state/payment_mint.rs`: the price of a mint
`pyth`          `pyth.rs`: prices from Pyth
`meter`         `state/meter.rs`: the windows of optional charges
`renter_profile`  `state/renter_profile.rs`: how many rentals a wallet may have
`stake_pool`, `stake_account`   `state/stake_*.rs`: epochs, rewards, and what stake counts for
`market`        `state/market.rs`: pauses, and what a proposal takes
`proposal`      `state/proposal.rs`: stages and tallies
`parameters`    `state/parameters.rs`: defaults and bounds of the market's parameters
`catalog`       GPU models and regions by number and slug
`gpu_model`, `gpu_match`        the models of `gpus.csv`, and which of them a device is
"""
