"""What an instruction costs its payer: compute units, fee, rent and tip.

`cost`       what one transaction of an instruction took and moved
"""
