"""Sign-in with a wallet: one step a file."""

from indexer.api.routes.auth import challenge, keys, me, refresh, sign_in, sign_out

ROUTERS = tuple(module.router for module in (challenge, sign_in, refresh, sign_out, me, keys))
