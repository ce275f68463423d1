"""Measurements of speed, and demonstrations; nothing here is installed."""
