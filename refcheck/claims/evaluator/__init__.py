"""Interprets statements taken from an engine's source over stub objects, numpy arrays and shape-only tensors.

Engine code is parsed by libcst and walked; it is never imported, compiled or passed to `exec`. Interpreted code
reaches only the closed set of values of `values` and `tensors`, through explicit tables of attributes and methods
(`attributes`), and every run is bounded (`budget`). What is not supported is named, with its line (`failures`), so
that a claim can be `undecided` with a reason.

`run` is what claims call; `stubs` builds the objects that engine code reads from plain data.
"""
