"""Ends what is due, for the tip that rides in each rental. Anyone may run one, and any number may run at once.

`settings`        where, as whom, on what terms
`snapshot`        the rentals and listings of the chain at one moment
`tasks`           what is due in a snapshot, and the instruction that ends it
`requests`        finds machines for requests in the market's `supply`, and builds what ends them
`token_accounts`  where the parties of an ending are paid
`endings`         what one ending touches, is worth and costs
`packing`         as many endings as fit a transaction
`trial`           simulates a batch and finds the ending that would fail
`sender`          signs, writes down, sends and confirms; `journal` is what it writes to
`backoff`         endings that failed, and when they may be tried again
`chores`          unpaid work, as far as the operator wants it
`loop`            run_once and run_service
"""
