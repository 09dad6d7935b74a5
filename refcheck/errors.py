"""What can go wrong outside of a check: each error knows the exit code that it stands for.

An ill-formed check or option is never a finding about a document; it is one of these.
"""

from __future__ import annotations


class RefcheckError(Exception):
    """Base of every error that is shown to the user as one message, without a traceback."""

    exit_code = 2


class UsageError(RefcheckError):
    """An option, argument or input cannot be used as given."""


class ConfigurationError(RefcheckError):
    """A configuration or edition file is wrong; `problems` names every fault of the file at once."""

    def __init__(self, problems: str | list[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class DocumentError(RefcheckError):
    """A document cannot be read."""


class ReferenceInputError(RefcheckError):
    """A shape, option or log given to the reference cannot be computed with."""


class SourceError(RefcheckError):
    """No readable source for a pin of the run; `attempts` lists what was tried, each with its reason."""

    exit_code = 3

    def __init__(self, message: str, attempts: tuple[str, ...] = ()) -> None:
        self.attempts = attempts
        super().__init__("\n".join([message, *(f"  - {attempt}" for attempt in attempts)]))


class PathNotInTree(KeyError):
    """A tree was asked for a path that it does not have."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(path)
