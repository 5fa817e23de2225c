"""Notices of what happens, sent to the endpoints of signed-in wallets by Standard Webhooks.

`kinds`      what notices are about, and which events they follow from
`notices`    a notice as it is kept and sent
`noting`     from the index's numbered events to notices
`timed`      notices that come of time
`addresses`  where notices may be sent
`sending`    one attempt
`delivering` which process sends, and when
"""
