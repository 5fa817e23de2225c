"""Measurements of the whole product on one machine, side by side with their targets.

`figures`   a measured figure and the target it is held against
`registry`  the benchmarks by name
`suite`     the benchmarks, one a file, each with `async def measure(progress) -> Report`
`load`      a market with as many parties and rentals as a benchmark needs, and the clients that read it
`machine`   what it all ran on
`results`   results.json
`table`     the table that people read
`day`       a whole day of market in some minutes, by itself

`python -m benchmarks` runs all of them but the day, `python -m benchmarks program api` some.
"""
