"""The declared columns of tables: what follows from them stands in the documentation too."""

from pathlib import Path

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
