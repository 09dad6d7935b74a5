"""Finding code in a tree: by text, by symbol, by structure, and from one revision to another."""
