"""Sign-in with a wallet: one step a file."""

from fastapi import APIRouter

from indexer.api.routes.auth import challenge, keys, me, refresh, sign_in, sign_out

router = APIRouter(prefix="/api/auth", tags=["auth"])
for module in (challenge, sign_in, refresh, sign_out, me, keys):
    router.include_router(module.router)
