"""What an instruction costs its payer: compute units, fee, rent and tip.

`scenarios`  for every instruction of the IDL a state of the seeded market in which it works
`cost`       what one transaction of it took and moved
"""
