"""Generated from the program's IDL; change the program and regenerate, never this file."""
