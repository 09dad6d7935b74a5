"""What a run is asked to check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..config.edition import Edition
from ..model.document import Document
from .trees import Trees

if TYPE_CHECKING:
    from .kept import Kept


@dataclass(frozen=True)
class VerifyRequest:
    """What to check. Without documents, the edition; with documents, them, and the claims that they carry."""

    trees: Trees
    edition: Edition | None = None
    documents: tuple[Document, ...] = ()
    claims: bool = True
    """Whether the edition's claims are judged too, or only its anchors and the documents' own citations."""
    fail_on: str = "error"
    with_transformers: bool = False
    check_links: bool = False
    severity: Mapping[str, str] = field(default_factory=dict)
    """Code -> level, where a project wants another level than the verdict's own."""
    baseline: Mapping[str, Mapping[str, str]] | None = None
    kept: Kept | None = None
    """Where findings of earlier runs are kept; None judges everything anew."""
    announce: Callable[[str], None] = field(default=lambda message: None)
