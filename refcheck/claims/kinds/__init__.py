"""One module for each kind of claim, found by name when an edition uses it (refcheck.claims.kind)."""
