"""The toy engine's repository, server and index of the tests of the sources."""

from tests.sources.conftest import (
    engine,
    heard,
    index,
    options,
    own_settings,
    redirect,
    served,
    template,
    upstream,
)

__all__ = ["engine", "heard", "index", "options", "own_settings", "redirect", "served", "template", "upstream"]
