"""A job's machine: connection, verification, and copies of files and workspaces."""
