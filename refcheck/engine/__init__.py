"""The checks of a run, hop by hop: documents and editions in, one report out."""
