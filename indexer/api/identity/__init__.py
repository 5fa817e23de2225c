"""Identity of the caller: an address, a signed-in wallet, or a script with a wallet's API key."""
