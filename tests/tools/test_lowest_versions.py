"""The lowest versions are those of pyproject.toml, each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.lowest_versions import lowest_versions


def test_each_dependency_once() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    found = lowest_versions(text)
    assert len(found) == len(set(found)) > 10
    assert all(f'"{one.replace("==", ">=")}"' in text for one in found)


@pytest.mark.parametrize("dependency", ["numpy", "numpy<3", "numpy>=1,<3", "numpy~=1.2"])
def test_what_has_no_lower_bound_alone_is_named(dependency: str) -> None:
    with pytest.raises(ValueError, match="lower bound"):
        lowest_versions(f'[project]\ndependencies = ["{dependency}"]\n')
