"""Frozen data that the parts hand to each other; no part of it reads files or draws."""
