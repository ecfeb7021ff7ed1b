"""The declared columns of tables: what follows from them stands in the documentation too."""

from pathlib import Path

import pytest

import rejoinder
from rejoinder.errors import InputError
from rejoinder.tables.notes import taking_notes
from rejoinder.tables.schemas import COLUMNS

FORMATS = Path(__file__).parents[3] / "docs" / "formats.md"
WITHOUT = {
    "refused": "an error",
    "filled": "its reader fills it",
    "null": "empty",
    "without": "there is none",
}


def rows():
    """The table of the declared columns, as documentation has it."""
    yield "| table | column | holds | without it | also read |"
    yield "|---|---|---|---|---|"
    for kind, columns in COLUMNS.items():
        for each in columns:
            names = (each.aliases, each.fallbacks and f"else {each.fallbacks}")
            aliases = ", ".join(f"`{alias}`" for alias in " ".join(names).split()).replace(
                "`else`,", "else"
            )
            yield f"| {kind} | `{each.name}` | {each.meaning} | {WITHOUT[each.if_absent]} | {aliases} |"


def test_the_columns_stand_in_the_documentation():
    assert "\n".join(rows()) in FORMATS.read_text(encoding="utf-8")


def test_no_name_is_an_alias_of_two_columns_of_one_table():
    for columns in COLUMNS.values():
        names = [name for each in columns for name in (each.name, *each.aliases.split())]
        assert len(set(names)) == len(names)


def _grades(tmp_path, head, rater=True):
    rows = [
        ",".join([f"q{item}", system, *([name] * rater), str(1 + (item + len(system)) % 5)])
        for item in range(10)
        for system in ("basil", "clove")
        for name in ("Anouk", "Bram")[: 1 + rater]
    ]
    path = tmp_path / "grades.csv"
    path.write_text("\n".join([head, *rows, ""]))
    return path


def test_one_line_names_all_columns_that_are_called_otherwise(tmp_path):
    path = _grades(tmp_path, "id,assistant,cook,helpfulness")
    with pytest.raises(InputError) as caught:
        rejoinder.read_ratings(path)
    line = {"system": "assistant", "score": "helpfulness", "rater": "cook"}
    assert f"columns={line!r}" in str(caught.value)
    assert rejoinder.read_ratings(path, columns=line)["rater"].unique().sort().to_list() == [
        "Anouk",
        "Bram",
    ]


def test_a_column_that_may_say_who_rated_is_named(tmp_path):
    path = _grades(tmp_path, "id,model,visitor,grade")
    with pytest.raises(InputError, match=r"columns=\{'score': 'grade', 'rater': 'visitor'\}"):
        rejoinder.read_ratings(path)
    with pytest.raises(InputError, match="if 'visitor' says who rated, name it with columns="):
        rejoinder.read_ratings(path, columns="score=grade")
    once = [line for line in path.read_text().splitlines() if "Bram" not in line or "q1" in line]
    path.write_text(
        "\n".join(line for line in once if not line.startswith("q1,") or "Bram" in line)
    )
    with taking_notes() as notes:
        rejoinder.read_ratings(path, columns="score=grade")
    assert [each.text for each in notes if each.kind == "no rater"] == [
        "no column says who rated, so these are taken as ratings of one person; if 'visitor' says it, add "
        "columns={'rater': 'visitor'}; scores of a judge or a metric are given with External(name, "
        "read_scores(FILE))"
    ]
