"""What VS Code's Remote-SSH does as a client, by OpenSSH's programs, with a script and a server of our own."""
