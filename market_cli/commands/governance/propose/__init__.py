"""Create a proposal; needs active stake."""

COMMANDS = (
    "settings:parameter",
    "settings:key",
    "settings:pause",
    "settings:resume",
    "settings:host",
    "tokens:mint",
    "tokens:rewards",
    "settings:gpu",
    "tokens:transfer",
    "tokens:withdraw",
    "upgrade",
)
