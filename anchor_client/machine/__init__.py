"""Facts about a machine that others read at the market's API: its host's measurements, and its ports from outside.

`figures`       a host's measurements, signed by the key that serves the machine
`reach`         a request to try the machine's ports from outside, signed by the same key
`port_answers`  a port's answer to an HTTP request
"""
