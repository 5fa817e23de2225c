"""Put something to the vote; takes active stake."""

COMMANDS = ("parameter", "key", "pause", "resume", "host", "mint", "rewards", "points", "transfer", "upgrade")
