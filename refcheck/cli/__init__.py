"""The command line: parses arguments, calls the engine of the checks, and picks an exit code."""
