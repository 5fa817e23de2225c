"""The steps that seed a market; a step is done once the account it creates exists."""
