"""Checks what a page says about an inference engine's source against that source.

The public entry point is the command `refcheck`; see `refcheck.cli`.
"""

__version__ = "0.1.0"
