"""Reading the documents that a command is given."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..config.engines import Engine, builtin_engines

if TYPE_CHECKING:
    from ..model.document import Document


def read_given(names: Sequence[str], engines: Mapping[str, Engine] | None = None) -> tuple[Document, ...]:
    """Files, folders, or `-` for standard input. Raises DocumentError for one that cannot be read."""
    from ..documents.read import read_documents

    return read_documents(names, engines=engines or builtin_engines(), stdin=sys.stdin.buffer.read)
