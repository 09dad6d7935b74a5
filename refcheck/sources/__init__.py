"""The files of an engine at a revision: from a remote, a clone, a folder, or a release archive.

Start with `refcheck.sources.open`. Nothing is imported here, so that a command that needs no source pays nothing.
"""
