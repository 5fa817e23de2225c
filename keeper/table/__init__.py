"""An address lookup table with what endings have in common, for version-0 messages.

`instructions` those of the chain's lookup table program
`shared`       the accounts that endings share
`upkeep`       creates the table, extends it, and reports which entries are usable
`closing`      deactivates and closes it
"""
