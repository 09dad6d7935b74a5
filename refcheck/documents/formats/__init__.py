"""Document formats: one module each, with the constant FORMAT (see `refcheck.documents.pieces.Format`)."""
