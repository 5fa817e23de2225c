"""Cost of an instruction to its payer: compute units, fee, rent and tip.

`cost`       what one transaction of an instruction took and moved
"""
