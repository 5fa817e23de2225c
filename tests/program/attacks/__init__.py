"""The classic attacks on accounts, one a file, each against every instruction that it can apply to."""
