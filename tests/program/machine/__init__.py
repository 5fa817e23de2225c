"""Random acts by everyone on one market, and jumps in time; one file an area.

`base`            the market, how it is acted upon and what must hold after every rule
`renting`         rentals on demand and reserved, from the order to their end
`bidding`         spot orders and what becomes of a machine that somebody waits for
`requesting`      requests and who finds them a machine
`hosting`         hosts, their listings, heartbeats and reputation
`metering`        charges and meters
`staking`         stake and rewards
`locking`         the MFP lock and GPU points
`changes`         what an authority may decide, as actions
`administration`  decisions that the authority signs, and the market's own chores
`governing`       decisions that stakers vote for
`spoils`          ways to spoil an instruction
`adversary`       spoiled and repeated instructions
`tally`           what a run has done
"""
