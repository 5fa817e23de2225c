"""Create a proposal; needs active stake."""

COMMANDS = ("parameter", "key", "pause", "resume", "host", "mint", "rewards", "points", "transfer", "upgrade")
