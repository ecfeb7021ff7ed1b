"""Words that STYLE and the glossary do not use: `make lint` finds them in sources and pages.

Run from the repository root: ``python tests/words.py``. It prints each place with a better wording,
and exits with status 1 where there is one.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

BETTER = {
    r"for nothing\b(?! (that|from))": "at no cost, in vain",
    r"\bof one mind\b": "agree",
    r"right and dear": "accurate and expensive",
    r"(least|smallest) p that so many draws allows": "the smallest p that so many draws allow",
    r"\bleast p that\b": "smallest p that",
    r"\bbelieve p\b": "prefer p",
    r"stand in for (a|one) rater": "replace a rater",
    r"worth so many\b": "effective number of judges",
    r"goes against people": "correlates negatively with people",
    r"\b(matrix of signs|sign for each pair)\b": "symbol matrix, a symbol for each pair",
    r"once more behind itself": "a second time",
    r"kept as they come": "intermediate results",
    r"no question is begun": "no new question is asked",
    r"which is no certainty": "degenerate: all resamples are equal",
    r"[Ww]hat becomes of": "how it handles",
    r"[Ww]hat stands in\b": "contents of",
    r"slip of the keyboard": "typing error",
    r"\ba plan is drawn\b": "planning uses the bootstrap",
    r"call the systems alike": "use the same system names",
    r"\bparts (words|signatures)\b": "separates",
    r"\btells? no reply from another": "do not distinguish replies",
    r"spread goes by|go another way|take for granted": "scales with; in another order; assume",
    r"rather be dull": "prefers generic replies",
    r"not shown to be able": "the test does not show",
}


EMPTY = frozenset("own wanted drawn kept made there held found told said few some".split())
"""Names that do not say what they hold."""

MOST_EMPTY = 200
"""So many variables and arguments have such a name, at most: a change takes some away, and adds none."""

TYPE = re.compile(r"u?int|float|bool")


def places() -> list[str]:
    """Every place with such words: its file, line, words and the better ones."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]
    files += ROOT.glob("src/**/*.py")
    found = []
    for path in sorted(files):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for words, better in BETTER.items():
                if match := re.search(words, line):
                    where = f"{path.relative_to(ROOT)}:{number}"
                    found.append(f"{where}: {match[0]!r}: say {better!r}")
    for path in sorted(ROOT.glob("src/**/*.py")):
        text = path.read_text("utf-8")
        shown = path.relative_to(ROOT)
        found += [f"{shown}:{line}: {word!r}: say what it is" for line, word in vague_names(text)]
        found += [
            f"{shown}:{line}: {word!r}: begin with a capital" for line, word in small_texts(text)
        ]
        if "cli" not in shown.parts:
            found += [f"{shown}:{line}: {words}" for line, words in undescribed(text)]
    empty = [
        f"{path.relative_to(ROOT)}:{line}: {name!r}: say what it holds"
        for path in sorted(ROOT.glob("src/**/*.py"))
        for line, name in empty_names(path.read_text("utf-8"))
    ]
    return found + repeated_classes() + (empty if len(empty) > MOST_EMPTY else [])


def repeated_classes() -> list[str]:
    """Every name that public classes of several files have, with the files."""
    files: dict[str, list[str]] = {}
    for path in sorted(ROOT.glob("src/**/*.py")):
        for name in re.findall(r"^class ([A-Z]\w*)", path.read_text("utf-8"), re.MULTILINE):
            files.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return [
        f"{', '.join(paths)}: {name!r}: each class has a name of its own"
        for name, paths in files.items()
        if len(paths) > 1
    ]


SEE = re.compile(r"\b([Ss]ee|[Aa]s (for|in|with)|those of) +`")


def undescribed(text: str) -> list[tuple[int, str]]:
    """Line and fault of public functions whose arguments or errors no word describes.

    Three or more arguments have ``Args:``, or are named in the docstring, or in one that it refers to;
    a function that raises says what.

    >>> undescribed("def add(a, b, c):\\n    'Adds a, b and more.'\\n    raise ValueError(a)")
    [(1, 'add: describe its arguments (Args)'), (1, 'add: describe its errors (Raises)')]
    """
    found: list[tuple[int, str]] = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        docstring = ast.get_docstring(node)
        if docstring is None:  # an overload
            continue
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        names = [each.arg for each in given]
        described = "Args:" in docstring or SEE.search(docstring)
        named = all(re.search(rf"\b{each}\b", docstring) for each in names)
        if len(names) >= 3 and not (described or named):
            found.append((node.lineno, f"{node.name}: describe its arguments (Args)"))
        raises = any(isinstance(each, ast.Raise) and each.exc for each in ast.walk(node))
        if raises and not re.search("Raises|[Rr]efuses", docstring):
            found.append((node.lineno, f"{node.name}: describe its errors (Raises)"))
    return found


def vague_names(text: str) -> list[tuple[int, str]]:
    """Line and name of functions and constants called ``_of_...``: a name says what a thing is.

    >>> vague_names("def _of_pairs(): ...")
    [(1, '_of_pairs')]
    """
    lines = text.splitlines()
    return [
        (number, match[1])
        for number, line in enumerate(lines, 1)
        if (match := re.match(r"\s*(?:def |class )?(_of_\w+|_OF_\w+)\b", line))
    ]


def empty_names(text: str) -> list[tuple[int, str]]:
    """Line and name of variables and arguments whose names are in ``EMPTY``.

    >>> empty_names("found = [own for own in kept]")
    [(1, 'found'), (1, 'own')]
    """
    names = [
        (node.lineno, node.arg if isinstance(node, ast.arg) else node.id)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]
    return sorted(each for each in names if each[1] in EMPTY)


def small_texts(text: str) -> list[tuple[int, str]]:
    """Line and first word of texts of attributes, arguments and errors that begin in lower case.

    A type (``float64 [n]``) and a symbol of one or two letters may stand first.
    """
    found: list[tuple[int, str]] = []
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Module):
            continue
        if not node.body or ast.get_docstring(node, clean=False) is None:
            continue
        docstring = node.body[0]
        section = entries = -1
        for number in range(docstring.lineno, (docstring.end_lineno or 0) + 1):
            line = lines[number - 1]
            depth = len(line) - len(line.lstrip())
            if re.match(r" *(Attributes|Args|Raises):$", line):
                section, entries = depth, -1
            elif line.strip() and depth <= section:
                section = -1
            elif line.strip() and section >= 0:
                entries = depth if entries < 0 else entries
                match = re.match(r" *[\w.*]+: +([a-z]{3,})\b(?! *\[)", line)
                if depth == entries and match and not TYPE.fullmatch(match[1]):
                    found.append((number, match[1]))
    return found


if __name__ == "__main__":
    sys.exit("\n".join(places()) or 0)
