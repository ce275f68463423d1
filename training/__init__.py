"""How the embedded models are made. Not part of the wheel."""
