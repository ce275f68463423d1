"""Papers from public literature services: an abstract by its identifier, and what a search finds."""
