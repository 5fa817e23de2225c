"""Copies of the raw events as Parquet files, for analysts."""
