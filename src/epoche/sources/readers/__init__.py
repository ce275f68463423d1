"""Bytes of a file → documents; one module for each kind of file."""
