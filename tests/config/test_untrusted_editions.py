"""Edition files of strangers: plain data within bounds, and no file outside of the edition's folder."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from refcheck.config.edition import load_edition
from refcheck.config.yaml_lines import MAX_BYTES, load_lined_yaml
from refcheck.errors import ConfigurationError

HEAD = f"schema: refcheck-edition/1\nname: e\ndate: 2026-01-01\npins:\n  toy: {{commit: {'a' * 40}}}\n"

BOMBS = {
    "aliases of aliases": "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
    "an alias of itself": "a: &a [*a]\n",
    "sequences in sequences": "a: " + "[" * 5000 + "]" * 5000 + "\n",
    "mappings in mappings": "".join(" " * n + "a:\n" for n in range(300)),
    "many values": "a: [" + "x, " * 400_000 + "]\n",
    "more bytes than are read": "a: '" + "x" * MAX_BYTES + "'\n",
    "a number of thousands of digits": "a: " + "1" * 10_000 + "\n",
}
OBJECTS = {
    "a call": "a: !!python/object/apply:os.system ['true']\n",
    "a module": "a: !!python/module:os\n",
    "a name": "a: !!python/name:os.system\n",
    "an instance": "a: !!python/object:pathlib.Path {}\n",
    "a tag of one's own": "a: !evil x\n",
    "a key that is a list": "? [a]\n: b\n",
    "a key twice": "a: 1\na: 2\n",
}


@pytest.mark.parametrize("text", [*BOMBS.values(), *OBJECTS.values()], ids=[*BOMBS, *OBJECTS])
def test_what_is_no_plain_data_of_some_size_is_refused_by_name(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ConfigurationError, match=r"e\.yaml"):
        load_lined_yaml(text, "e.yaml")
    assert time.process_time() - started < 5


@pytest.mark.parametrize("name", ["../outside.yaml", "/etc/passwd", "link.yaml", "folder/../../outside.yaml"])
def test_a_file_outside_of_the_folder_is_not_included(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "outside.yaml"
    secret.write_text("anchors: hunter2\n")
    folder = tmp_path / "edition"
    (folder / "folder").mkdir(parents=True)
    (folder / "link.yaml").symlink_to(secret)
    (folder / "e.yaml").write_text(f"{HEAD}include: [{name}]\nanchors: []\n")
    with pytest.raises(ConfigurationError, match="outside of the edition's folder") as refused:
        load_edition(folder / "e.yaml")
    assert "hunter2" not in str(refused.value)
