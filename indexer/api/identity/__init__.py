"""Who asks: an address, a wallet that has signed in, or a script with a wallet's API key."""
