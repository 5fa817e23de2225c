"""Ends due rentals and requests, for the tip escrowed in each. Anyone may run a keeper, and any number may run at the
same time.

`settings`   where, as whom, on what terms; `names` of cranks and kinds of messages
`snapshot`   the rentals, listings and requests of the chain at one moment
`source`     which of them are read: all, or those that an index names (`index_api`)
`tasks`      what may be done for which account, when, and by which instructions
`matcher`    finds machines for requests, and remembers which it chose
`endings`    what is due with its instructions: what it is worth and costs
`packing`    as many endings as fit a transaction
`table`      an address lookup table of the keeper's own
`trial`      simulates a batch and finds the ending that would fail
`dispatch`   tries batches and sends them; `in_flight` are the transactions whose fate is open
`sender`     signs, writes down, sends and confirms; `journal` is what it writes to
`set_aside`  what failed, and when it may be tried again
`cranks`     unpaid tasks, those that the operator chose
`leader`     which of several keepers acts, by a `leader_lock`
`loop`       run_once and run_service
"""
