"""Scores in LaTeX: a table that a paper takes as it is."""

import rejoinder
from rejoinder.document.parts import View
from rejoinder.rendering.html import as_html
from rejoinder.rendering.latex import as_latex
from rejoinder.rendering.markdown import as_markdown

TEXTS = {"good": ["yes", "no", "at nine", "well"] * 5, "bad": ["oh"] * 20}
TESTSET = [["yes"], ["no"], ["at nine"], ["well"]] * 5


def scores(*metrics):
    return rejoinder.score(TESTSET, TEXTS, metrics, resamples=100)


def test_the_best_value_of_each_metric_is_bold_and_letters_are_raised():
    made = as_latex(scores("bleu", "ter", "length").document(View(ranks=True)))
    good = next(line for line in made.splitlines() if line.startswith("good & "))
    bad = next(line for line in made.splitlines() if line.startswith("bad & "))
    # TER counts errors: the lowest is the best; length ranks nobody.
    assert good.count(r"\textbf{100.0}\textsuperscript{a}") == 1
    assert good.count(r"\textbf{0.0}\textsuperscript{a}") == 1
    assert good.count(r"\textbf") == 2
    assert r"\textbf" not in bad
    assert bad.count(r"\textsuperscript{b}") == 2


def test_tables_have_captions_and_labels_of_their_own():
    made = scores("bleu").to_latex()
    assert r"\begin{table}[t]" in made
    assert r"\caption{20 items with 1 reference each; values x100" in made
    assert "best values bold.}" in made
    assert r"\label{tab:results}" in made
    assert "superscript" not in made  # without ranks there are no letters
    assert "% 20 items" not in made


def test_only_latex_says_what_only_latex_shows():
    shown = scores("bleu")
    document = shown.document(View(ranks=True))
    for written in (as_markdown(document), as_html(document)):
        assert "values bold" not in written
        assert "</sup>" not in written
        assert "100.0a" not in written
