"""A collection too large to read: an index on disk, and what is found in it."""
