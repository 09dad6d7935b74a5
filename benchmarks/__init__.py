"""How fast, how much memory, how many bytes: `python -m benchmarks.run` from the repository's root."""
