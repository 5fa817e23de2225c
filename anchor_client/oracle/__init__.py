"""The oracle of a posted price: what it is worth by several sources, and whether that can be believed.

`sources`    reads quotes from Pyth, from exchanges and from a file
`judgement`  makes one price of several quotes, or refuses
`poster`     posts it, step by step, and keeps count for Prometheus
`settings`   of `gpu-market post-price`
"""
