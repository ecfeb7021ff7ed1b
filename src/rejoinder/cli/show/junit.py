"""Verdicts against a baseline as JUnit XML, which servers of continuous integration show."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from rejoinder.scoring.compare import Comparison
from rejoinder.scoring.verdict_sentences import failure
from rejoinder.visible import visible

NO_CHARACTERS = {code: f"\\u{code:x}" for code in (0xFFFE, 0xFFFF)}
"""What XML does not allow and `visible` leaves."""


def as_junit(compared: Comparison, unsure: bool) -> str:
    """A test case for each metric and system.

    One that fails has the message of the command line; a metric that does not rank systems is
    skipped.

    Args:
        compared: Systems that were compared with a baseline.
        unsure: Whether it is a failure that a greater loss is not excluded.
    """
    failed = {(row["metric"], row["a"]) for row in compared.failed(unsure).iter_rows(named=True)}
    skipped = compared.table["verdict"].null_count()
    counts = {"tests": compared.table.height, "failures": len(failed), "skipped": skipped}
    suite = ET.Element("testsuite", {"name": "rejoinder compare"})
    suite.attrib |= {name: str(count) for name, count in counts.items()}
    for row in compared.table.iter_rows(named=True):
        name = _text(f"{row['a']} against {row['b']}")
        case = {"classname": _text(row["metric"]), "name": name}
        element = ET.SubElement(suite, "testcase", case)
        if row["verdict"] is None:
            message = "the metric does not rank systems"
            ET.SubElement(element, "skipped", {"message": message})
        elif (row["metric"], row["a"]) in failed:
            ET.SubElement(element, "failure", {"message": _text(failure(row))})
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode") + "\n"


def _text(words: str) -> str:
    return visible(words).translate(NO_CHARACTERS)
