"""The lake: immutable Parquet segments that hold every event, raw and canonical, with a column for each field."""
