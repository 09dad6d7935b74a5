"""YAML with line numbers, bounded: what is wrong in a file can be named by its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ConfigurationError

MAX_BYTES = 4 * 1024 * 1024
MAX_NODES = 200_000
MAX_DEPTH = 40
_PLAIN = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class LinedYaml:
    """Plain data, and the line on which each part of it stands (`lines[("claims", 3, "id")]`)."""

    name: str
    data: Any
    lines: Mapping[KeyPath, int] = field(repr=False)

    def where(self, path: KeyPath) -> str:
        """`FILE:LINE` of the part, or of the nearest part around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.name}:{self.lines.get(path, 1)}"


def load_lined_yaml(text: str, name: str) -> LinedYaml:
    """Safe YAML only. Raises ConfigurationError naming file and line: syntax, duplicate keys, size, aliases."""
    import yaml

    if len(text) > MAX_BYTES:
        raise ConfigurationError(f"{name}: larger than {MAX_BYTES // 2**20} MiB")
    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader = loader_class(text)
    lines: dict[KeyPath, int] = {}
    problems: list[str] = []
    count = 0

    def build(node: Any, path: KeyPath) -> Any:
        nonlocal count
        count += 1
        line = node.start_mark.line + 1
        if count > MAX_NODES or len(path) > MAX_DEPTH:
            raise ConfigurationError(f"{name}:{line}: too large or too deeply nested (aliases count every time)")
        lines[path] = line
        if not isinstance(node, yaml.ScalarNode) and node.tag not in _PLAIN:
            problems.append(f"{name}:{line}: only plain data is read, not {node.tag}")
        if isinstance(node, yaml.MappingNode):
            mapping: dict[Any, Any] = {}
            for key_node, value_node in node.value:
                key = loader.construct_object(key_node)
                if not isinstance(key, (str, int)):
                    problems.append(f"{name}:{key_node.start_mark.line + 1}: a key must be text: {key!r}")
                    continue
                if key in mapping:
                    problems.append(f"{name}:{key_node.start_mark.line + 1}: key {key!r} stands twice")
                mapping[key] = build(value_node, (*path, key))
                lines[*path, key] = key_node.start_mark.line + 1
            return mapping
        if isinstance(node, yaml.SequenceNode):
            return [build(item, (*path, index)) for index, item in enumerate(node.value)]
        return loader.construct_object(node)

    try:
        root = loader.get_single_node()
        data = build(root, ()) if root is not None else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        problem = getattr(error, "problem", None) or str(error)
        raise ConfigurationError(f"{name}:{line}: not valid YAML: {problem}") from error
    except ValueError as error:
        raise ConfigurationError(f"{name}: a value cannot be read: {error}") from error
    except RecursionError as error:
        raise ConfigurationError(f"{name}: too deeply nested") from error
    finally:
        loader.dispose()
    if problems:
        raise ConfigurationError(problems)
    return LinedYaml(name, data, lines)
