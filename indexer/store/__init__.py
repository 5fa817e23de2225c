"""The database, and the rows that one SQL transaction reads and changes."""
