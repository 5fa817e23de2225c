"""Tests of the TypeScript client."""
