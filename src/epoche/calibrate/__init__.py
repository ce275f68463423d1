"""Labelled items → a policy, and whether its promise holds."""
