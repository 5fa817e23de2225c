"""VS Code's Remote-SSH as a client, by OpenSSH's programs, with a script and a server of our own."""
