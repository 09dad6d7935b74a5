"""Documents: read them, find the citations and quotes in them, with exact offsets.

`read.read_documents` and `read.read_text` are the entry points. A format (`formats/`, one module each) turns a
text into pieces (`pieces.py`); everything after that is the same for all formats.
"""
