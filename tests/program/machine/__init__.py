"""Random acts by everyone on one market, and jumps in time; one file an area.

`base`        the market, how it is acted upon and what must hold after every rule
`rental`      rentals on demand and reserved, from the order to their end
`spot`        spot orders and what becomes of a machine that somebody waits for
`request`     requests and who finds them a machine
`host`        hosts, their listings, heartbeats and reputation
`charges`     charges and meters
`staking`     stake and rewards
`mfp`         the MFP lock and GPU points
`actions`     what an authority may decide
`market`      decisions that the authority signs, and the market's own cranks
`governance`  decisions that stakers vote for
`tampering`   ways to tamper with an instruction
`adversary`   tampered and repeated instructions
`tally`       what a run has done
"""
