"""Workbooks as other programs write them: what is in the sheet is read whole, or is said."""

import io
import re
import zipfile

import pytest

from rejoinder.errors import InputError
from rejoinder.tables.io.workbook import read_workbook
from rejoinder.tables.ratings import read_ratings

openpyxl = pytest.importorskip("openpyxl")

RATED = [(f"c{n}", "ab"[n % 2], "ann", 1 + n % 5) for n in range(20)]
SHEET = "xl/worksheets/sheet1.xml"


def sheet_of(rows, change=lambda sheet: None):
    """The bytes of a workbook of openpyxl, after a change of its sheet."""
    book, data = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    change(book.active)
    book.save(data)
    return data.getvalue()


def rated(change=lambda sheet: None):
    return sheet_of([("id", "system", "rater", "score"), *RATED], change)


def edited(data, edit, name=SHEET):
    """The bytes of a workbook after an edit of the XML of one of its files."""
    new = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(new, "w") as archive:
        for each in old.namelist():
            text = old.read(each)
            archive.writestr(each, edit(text.decode()) if each == name else text)
    return new.getvalue()


def of_xml(*rows, after=""):
    """A workbook whose sheet has these rows of XML, as a program writes them that is no openpyxl."""
    return edited(
        sheet_of([["x"]]),
        lambda xml: re.sub(
            "<dimension.*?/>|<sheetData>.*</sheetData>",
            lambda found: (
                f"<sheetData>{''.join(rows)}</sheetData>{after}" if "Data" in found[0] else ""
            ),
            xml,
        ),
    )


HEADER = '<row r="1"><c r="A1" t="str"><v>id</v></c><c r="B1" t="str"><v>score</v></c></row>'


def text(cell, value):
    return f'<c r="{cell}" t="inlineStr"><is><t>{value}</t></is></c>'


def read(tmp_path, data):
    path = tmp_path / "t.xlsx"
    path.write_bytes(data)
    return read_workbook(path)


def cells(table):
    return table.frame.rows()


EXPECTED = [(i, s, r, str(v)) for i, s, r, v in RATED]


@pytest.mark.parametrize(
    "size", ["A1", "A1:D1", "A1:D3", "A1:B21", "B2:D9", "A1:D21", "A1:XFD1048576"]
)
def test_the_written_size_of_a_sheet_is_not_believed(tmp_path, size):
    def resized(xml):
        assert '<dimension ref="A1:D21"' in xml
        return xml.replace('<dimension ref="A1:D21"', f'<dimension ref="{size}"')

    assert cells(read(tmp_path, edited(rated(), resized))) == EXPECTED


def test_a_sheet_without_its_size_is_read(tmp_path):
    bare = edited(rated(), lambda xml: re.sub("<dimension.*?/>", "", xml))
    assert cells(read(tmp_path, bare)) == EXPECTED


def test_a_sheet_that_numbers_neither_rows_nor_cells_is_read(tmp_path):
    def unnumbered(xml):
        return re.sub(r'<(row|c) r="\w+"', r"<\1", xml)

    assert cells(read(tmp_path, edited(rated(), unnumbered))) == EXPECTED


def test_means_of_ratings_are_those_of_all_rows(tmp_path):
    (tmp_path / "h.xlsx").write_bytes(
        edited(rated(), lambda xml: xml.replace('ref="A1:D21"', 'ref="A1:D3"'))
    )
    ratings = read_ratings(tmp_path / "h.xlsx")
    assert ratings.height == 20
    assert ratings.get_column("score").mean() == 3.0  # 4 times 1 to 5


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([2, 1], "the row 1 stands after the row 2"),
        ([5, 5], "the row 5 stands after the row 5"),
        ([2, 1_048_577], "the row 1048577 stands after the row 2"),
    ],
)
def test_rows_that_are_out_of_order_are_refused(tmp_path, rows, message):
    rows = [f'<row r="{n}">{text(f"A{n}", "c")}<c r="B{n}"><v>1</v></c></row>' for n in rows]
    with pytest.raises(InputError, match=rf"t\.xlsx, sheet 'Sheet': {message}; .*save"):
        read(tmp_path, of_xml(HEADER, *rows))


@pytest.mark.parametrize("second", ["A2", "B2", "C3", "C1"])
def test_cells_that_are_out_of_order_are_refused(tmp_path, second):
    row = f'<row r="2">{text("B2", "c")}<c r="{second}"><v>1</v></c></row>'
    with pytest.raises(InputError, match=rf"row 2: the cell '{second}' is in .*save"):
        read(tmp_path, of_xml(HEADER, row))


@pytest.mark.parametrize("value", ["", "<v/>", "<v></v>"])
def test_a_formula_without_its_value_is_refused(tmp_path, value):
    row = f'<row r="2">{text("A2", "c")}<c r="B2"><f>1+1</f>{value}</c></row>'
    with pytest.raises(InputError, match=r"cell B2: a formula without a saved value .*save"):
        read(tmp_path, of_xml(HEADER, row))
    with pytest.raises(InputError, match=r"cell D3: a formula without a saved value \(1 in"):
        read(tmp_path, rated(lambda sheet: sheet.__setitem__("D3", "=D2+1")))


def test_a_formula_has_the_value_that_was_saved_with_it(tmp_path, caplog):
    row = (
        '<row r="2"><c r="A2" t="str"><f>"c"&amp;1</f><v>c1</v></c><c r="B2"><f>1+1</f><v>2</v></c></row>'
        '<row r="3"><c r="A3"><v>7</v></c><c r="B3" t="str"><f>""</f><v></v></c></row>'
    )
    data = of_xml(HEADER, row)
    saved = edited(data, lambda xml: xml.replace("fullCalcOnLoad", "iterate"), "xl/workbook.xml")
    assert cells(read(tmp_path, saved)) == [("c1", "2"), ("7", "")]
    assert not caplog.text
    # Libraries write a value that nobody computed (XlsxWriter: 0), and ask for it to be computed.
    assert cells(read(tmp_path, data)) == [("c1", "2"), ("7", "")]
    assert "formulas whose value may never have been computed" in caplog.text


def test_an_error_of_a_formula_is_said(tmp_path, caplog):
    row = f'<row r="2">{text("A2", "c")}<c r="B2" t="e"><f>-thanks</f><v>#NAME?</v></c></row>'
    assert cells(read(tmp_path, of_xml(HEADER, row))) == [("c", "#NAME?")]
    assert "errors of formulas, read as text such as #NAME? (1): B2" in caplog.text


def test_hidden_rows_and_columns_are_read_and_said(tmp_path, caplog):
    def hide(sheet):
        sheet.row_dimensions[3].hidden = True
        sheet.row_dimensions[30].hidden = True  # a row without cells
        sheet.column_dimensions["C"].hidden = True

    assert cells(read(tmp_path, rated(hide))) == EXPECTED
    assert "hidden rows, read like the others (1): 3\n" in caplog.text
    assert "hidden columns, read like the others (1): C\n" in caplog.text


def test_merged_cells_are_said(tmp_path, caplog):
    table = read(tmp_path, rated(lambda sheet: sheet.merge_cells("D4:D5")))
    expected = [row if row[0] != "c3" else (*row[:3], "") for row in EXPECTED]
    assert cells(table) == expected
    assert "sheet 'Sheet': merged cells, whose value stands in the first of them" in caplog.text
    assert "(1): D4:D5" in caplog.text


def test_a_plain_workbook_needs_no_note(tmp_path, caplog):
    assert cells(read(tmp_path, rated())) == EXPECTED
    assert not caplog.text


def test_a_sheet_as_libreoffice_writes_it(tmp_path, caplog):
    plain = 'customFormat="false" ht="12.8" hidden="{}" customHeight="false" collapsed="false"'
    rows = [
        HEADER.replace("<row", f"<row {plain.format('false')}"),
        f'<row r="2" {plain.format("false")}>{text("A2", "c1")}'
        '<c r="B2" s="0" t="n"><f aca="false">1+1</f><v>2</v></c></row>',
        f'<row r="7" {plain.format("true")}>{text("A7", "c2")}<c r="B7" s="0" t="n"><v>3</v></c></row>',
        f'<row r="1048576" {plain.format("true")}/>',
    ]
    data = edited(
        of_xml(*rows), lambda xml: xml.replace("fullCalcOnLoad", "iterate"), "xl/workbook.xml"
    )
    assert cells(read(tmp_path, data)) == [("c1", "2"), ("c2", "3")]
    assert "hidden rows, read like the others (1): 7\n" in caplog.text
    assert caplog.text.count("WARNING") == 1


@pytest.mark.filterwarnings("default")
def test_only_warnings_about_cells_are_said(tmp_path, caplog, recwarn):
    after = '<extLst><ext uri="{CCE6A557-97BC-4B89-ADB6-D9C93CAAB3DF}"/></extLst>'
    rows = [HEADER, f'<row r="2">{text("A2", "c")}<c r="B2"><v>1</v></c></row>']
    assert cells(read(tmp_path, of_xml(*rows, after=after))) == [("c", "1")]
    assert not caplog.text
    dated = rated(lambda sheet: setattr(sheet["D2"], "number_format", "yyyy-mm-dd"))
    late = edited(dated, lambda xml: re.sub('(<c r="D2"[^>]*><v>)1<', r"\g<1>9999999<", xml))
    assert cells(read(tmp_path, late))[0] == ("c0", "a", "ann", "#VALUE!")
    assert "Cell D2 is marked as a date but the serial value 9999999" in caplog.text
    assert not recwarn.list
