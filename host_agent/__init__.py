"""A host's agent: it connects a listing on the chain with the machine behind it.

`pace`       how often a host speaks up, and what that costs
`agent`      heartbeats, and every listing's machine attended to
`tenancy`    one machine and the rentals that have it, one after the other
`machine`    what a machine must be able to do; `docker` is one, with containers
`orders`     orders as renters have sealed them
`images`     what they may run
`ssh`        the renter's way in
`gateway`    the process that serves it, one for each tenancy; it outlives the agent
`network`    what renters' programs may reach, and strangers may open
`disk`       the disk and each tenant's share of it
`detect`     what the machine has
`listings`   its listings, kept true
`commands`   programs that it runs on its machine
`deadlines`  when tenants end; `watchdog` sees to it when the agent is dead
`settings`   what a machine gives to its orders
`service`    all of it as one long-lived task
"""
