"""What a block of lines looks like: code or prose, and in which language.

Guesses for blocks that no fence names. They decide only what is looked for in an engine; a wrong guess costs a
search that finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# White space at a line's beginning is taken whole (`\s*+`): given back step by step, each step would try every shape.
_STRONG = re.compile(
    r"""^\s*+(?:
      (?:async\s+)?def\s+\w+\s*[(\[] | class\s+\w+\s*[(:\[] | @\w[\w.]*
    | (?:if|elif|while|with|for|except|try|else|finally|match|case)\b.{0,300}:\s*(?:\#.*)?$
    | (?:return|raise|yield|assert|await|del|global|nonlocal|pass|break|continue)\b(?!\s+\w+\s+\w+\s+\w+)
    | (?:from\s+[\w.]+\s+)?import\s+[\w.*(]
    | (?:[\w.\[\]"', :*-]{1,200}+|(?<=[ ]))(?:[+/|&^%@<>]{1,2})?=(?!=)\s*\S
    | \w+\s*:\s*[\w.\[\]|"', ]{1,200}(?:=.*)?,?$
    | [)\]}]+[,;:]?(?:\s*->.*)?\s*$
    | \#(?!\#)\s? | // | /\* | \*\s | \*/ | \"\"\" | \'\'\'
    | [\w.:>-]{1,200}+\(
    | [\w.\[\]():"'\ +*/-]{1,200}(?<=[\w\])"']),\s*$
    | (?:const|static|auto|void|int|float|bool|template|typename|namespace|struct|enum|using|__global__|__device__|
        inline|fn|pub|impl|let|use|mod|\#include|\#define|\#pragma|\#if)\b
    )""",
    re.VERBOSE,
)
_SENTENCE = re.compile(r"^\s*(?:[-*•]\s)?[A-Z\"“(]?[a-z]+(?:[ ,][A-Za-z'’-]+){4,}")
_HEAD = re.compile(
    r"""^(?:(?:async\s+)?def\s+\w+\s*[(\[].{0,400} | class\s+\w+\s*(?:[(\[].{0,400})?:\s*(?:\#.*)?
    | @\w[\w.]*(?:\(.{0,400})?
    | (?:if|for|while|with|try|elif|else|except|finally)\b.{0,400}:\s*(?:\#.*)?
    | \w[\w.\[\]]{0,200}\s*=\s*.{0,400}[(\[{] | .{0,400}[{]\s* | template\s*<.{0,400} | \w[\w.]{0,200}\()$""",
    re.VERBOSE,
)
_COMMAND = r"""(?:sudo\s+)?(?:[A-Z_][A-Z0-9_]*=\S*\s+)*
    (?:pip3?|uv|pipx|conda|apt(?:-get)?|brew|git|curl|wget|docker|podman|kubectl|helm|srun|sbatch|torchrun|ray|python3?|
       vllm|sglang|pytest|bash|sh|cd|ls|cat|export|source|mkdir|rm|cp|mv|echo|chmod|nvidia-smi|nsys|ncu|make|cmake|ninja|
       huggingface-cli|hf|npm|npx|node|tar|grep|sed|awk|tail|head|watch|ssh|scp|accelerate|deepspeed|mpirun|lm_eval|
       refcheck|genai-perf|set|unset|alias)
    (?:\s+(?:-{1,2}[\w-]|[\w./~$\"'{<\[:@=-])|\s*$|\s+\\$)"""
_SHELL = re.compile(rf"^\s*+{_COMMAND}", re.VERBOSE)
_PROMPTED = re.compile(rf"^\s*(?:\$\s+|%\s+|[\w.@-]++[:~/\w-]*+\$\s)?{_COMMAND}", re.VERBOSE)
_SHELL_SIGN = re.compile(
    r"\s--?[A-Za-z][\w-]*|[|&]{1,2}|\\$|\$\{?\w|<<|>|\.(?:py|sh)\b|\b(?:install|serve|clone|run)\b"
)
_LISTED = re.compile(r"^\s{0,8}\d{1,6}(?:\s?[|:│┊.]\s?|\s{1,4}|$)")
_HUNK = re.compile(r"^(?:@@ -\d+|\+\+\+ \S|diff --git )")
_PROMPT = re.compile(
    r"^\s*+(?:\$ |>>> |\.\.\. |In \[\d+\]:|Out\[\d+\]:|\(\w[\w.-]*\) \$ |[\w.-]+@[\w.-]+:\S*[$#] |PS [A-Z]:)"
)
_CPP = re.compile(
    r"^\s*+(?:#\s*(?:include|define|pragma|ifdef|ifndef|endif)\b|template\s*<|namespace\s|using\s+\w|struct\s+\w+.*[{;]|"
    r"(?:const|static|inline|constexpr|auto|void|int|float|bool|double|size_t|u?int\d+_t)\b.*[;{(]|.*(?:::|->).*;|.*\);\s*$|//)"
)
_CPP_SIGN = re.compile(r"[;{]|^\s*(?:#|//|template)")
_CUDA = re.compile(r"__(?:global|device|shared|host|forceinline|launch_bounds)__|<<<|threadIdx|blockIdx|__syncthreads")
_RUST = re.compile(r"^\s*+(?:pub\s+)?(?:fn|impl|let\s+mut|let|use|mod|trait|enum|struct)\b.*(?:[{;]|->)|^\s*#\[\w")
_PYTHON = re.compile(
    r"^\s*+(?:(?:async\s+)?def\s+\w+\s*[(\[]|class\s+\w+.*:|@\w|(?:if|elif|while|with|for|except|try|else)\b.*:\s*(?:#.*)?$|"
    r"(?:from\s+[\w.]+\s+)?import\s|return\b|self\.|#\s|\"\"\"|raise\s|"
    r"\w+\s*:\s*[\w.\[\]| ]+(?:=.*)?$|(?:[\w., \[\]]++|(?<=[ ]))=\s*\S.*[^;{]$)"
)
_JSON = re.compile(r"^\s*[{\[]\s*$|^\s*\"[^\"]{1,200}\"\s*:\s")
_YAML = re.compile(r"^\s*(?:- )?[\w./-]{1,80}:(?:\s+\S.*)?$")


def _strong(line: str) -> bool:
    """Whether a line has the shape of a statement, or of a part of one."""
    return line.rstrip().endswith((";", "{", "}", "(", "[")) or _STRONG.match(line[:300]) is not None


def without_numbers(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a listing without the numbers that stand before most of them; other lines as they are."""
    first = next((line for line in lines if line.strip()), None)
    if first is None or not _LISTED.match(first):
        return lines
    shown = [line for line in lines if line.strip()]
    if len(shown) < 2 or not _LISTED.match(shown[-1]):
        return lines
    if sum(1 for line in shown if _LISTED.match(line)) * 5 < len(shown) * 4:
        return lines
    return [_LISTED.sub("", line, count=1) for line in lines]


def looks_like_code(lines: Sequence[str]) -> bool:
    """Whether most of the lines have the shape of statements, and few that of sentences."""
    strong = sentences = total = 0
    for line in without_numbers(lines):
        if not line.strip():
            continue
        total += 1
        if _strong(line):
            strong += 1
        elif _SENTENCE.match(line[:200]):
            sentences += 1
    return total > 0 and strong * 2 >= total and sentences * 3 <= total


def goes_on_as_code(lines: Sequence[str]) -> bool:
    """Whether lines that follow code, indented like it, may still be code: they are not sentences."""
    shown = [line for line in lines if line.strip()]
    return sum(1 for line in shown if _SENTENCE.match(line[:200]) and not _strong(line)) * 3 <= len(shown)


def opens_code(first: str, second: str) -> bool:
    """Whether a line at the margin opens a block of code of which `second`, indented, is the body."""
    if second[:1] not in (" ", "\t"):
        return bool(first.startswith("@") and _HEAD.match(first) and _HEAD.match(second))
    return _HEAD.match(first[:500]) is not None and _strong(second)


def opens_shell(line: str) -> bool:
    """Whether a line is a shell command (a sentence that begins with a command's name is not)."""
    bare = line.lstrip()
    if bare.startswith(("$ ", ">>>")) and _PROMPT.match(line):
        return True
    line = line[:1000]
    if (_PROMPTED if "$" in line or bare.startswith("%") else _SHELL).match(line) is None:
        return False
    return not _SENTENCE.match(line[:200]) and _SHELL_SIGN.search(line[:2000]) is not None


def guess_language(lines: Sequence[str]) -> str:
    """The language of a block, by its first lines: "python", "cpp", "cuda", "rust", "shell", "console", "json",
    "yaml", or "" where nothing speaks for one."""
    sample = [line for line in without_numbers(lines[:30]) if line.strip()]
    if not sample:
        return ""
    if any(_PROMPT.match(line) for line in sample[:3]):
        return "console"
    if any(line[0] in "@+d" and _HUNK.match(line) for line in sample):
        return "diff"
    code = [line for line in sample if not line.lstrip().startswith("#")] or sample
    if opens_shell(code[0]) or (code[0].startswith("#!") and "sh" in code[0]):
        return "shell"
    if _CUDA.search("\n".join([line[:500] for line in sample])):
        return "cuda"
    python = sum([_PYTHON.match(line[:300]) is not None for line in sample])
    if python * 10 >= 6 * len(sample) and not any(line.rstrip().endswith((";", "{")) for line in sample):
        return "python"
    counts = {
        "json": sum(1 for line in sample if _JSON.match(line[:300])) * 2,
        "rust": sum(1 for line in sample if _RUST.match(line[:300])),
        "cpp": sum(1 for line in sample if _CPP_SIGN.search(line) and _CPP.match(line[:300])),
        "python": python,
        "shell": sum(1 for line in sample[:12] if opens_shell(line)),
        "yaml": sum(1 for line in sample if _YAML.match(line[:300])) / 2,
    }
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] * 3 >= len(sample) else ""
