import random
from dataclasses import fields

import pytest

from rejoinder.errors import ParameterError
from rejoinder.metrics import BLEU, ROUGE, TER, ChrF, DeltaBLEU, Length, SentenceBLEU
from rejoinder.metrics.setting_paths import setting_path
from rejoinder.metrics.settings import Setting, settings_of


def test_each_step_changes_what_it_says():
    path = setting_path(BLEU(2), BLEU(4, "none", True, "floor", 0.2))
    assert [step.settings for step in path] == [
        ("lowercase",),
        ("tokenizer",),
        ("order",),
        ("smoothing",),
        ("smoothing_value",),
    ]
    assert [step.metric for step in path[2:4]] == [
        BLEU(4, "none", True),
        BLEU(4, "none", True, "floor"),
    ]
    assert path[1].alone == BLEU(2, "none")
    # Without its smoothing a value means nothing.
    assert path[4].alone is None
    assert path[4].before == (None,)


def test_settings_that_need_each_other_change_together():
    (step,) = setting_path(BLEU(smoothing="floor", smoothing_value=0.2), BLEU())
    assert step.settings == ("smoothing", "smoothing_value")
    assert (step.before, step.after) == (("floor", 0.2), ("none", None))
    assert step.metric == BLEU()


def test_the_same_metric_has_no_steps():
    assert setting_path(ROUGE("1"), ROUGE("1")) == []


def test_sums_lead_to_averages():
    path = setting_path(BLEU(), SentenceBLEU())
    assert [step.settings[0] for step in path] == [
        "effective_order",
        "smoothing",
        "average",
        "brevity",
    ]
    assert path[2].metric == SentenceBLEU(brevity="bleu")
    assert path[-1].metric == SentenceBLEU()


def test_every_path_ends_at_the_second_metric():
    rng = random.Random(51)

    def drawn():
        kind = rng.choice([BLEU, SentenceBLEU, DeltaBLEU])
        known = {each.name for each in fields(kind)}
        smoothing = rng.choice(["none", "floor", "add-k", "exp", "caption"])
        values = {
            "order": rng.choice([1, 2, 4]),
            "tokenizer": rng.choice(["13a", "none", "char"]),
            "lowercase": rng.random() < 0.5,
            "smoothing": rng.choice([smoothing, "laplace" if kind is BLEU else "none"]),
            "effective_order": rng.random() < 0.5,
            "references": rng.choice(["all", "single"]),
            "reference_length": rng.choice(["", "shortest"]),
            "minimum_total": rng.choice([None, 1]),
            "brevity": rng.choice(["nakov", "bleu"]),
            "reading": rng.choice(["paper", "authors-code"]),
        }
        if values["smoothing"] in ("floor", "add-k") and rng.random() < 0.5:
            values["smoothing_value"] = 0.3
        return kind(**{name: value for name, value in values.items() if name in known})

    for _ in range(600):
        first, second = drawn(), drawn()
        path = setting_path(first, second)
        assert (path[-1].metric if path else first) == second
        assert all(step.meaning for step in path)


@pytest.mark.parametrize(
    ("first", "second"), [(BLEU(), TER()), (ROUGE(), BLEU()), (ChrF(), TER()), (Length(), BLEU())]
)
def test_different_measures_are_refused(first, second):
    with pytest.raises(ParameterError, match="no setting leads from one"):
        setting_path(first, second)


def test_every_setting_of_these_metrics_has_a_meaning():
    for kind in (BLEU, SentenceBLEU, DeltaBLEU, ROUGE, ChrF, TER):
        for name, each in settings_of(kind).items():
            assert each.meaning != Setting.meaning
            assert each.step != Setting.step or name == "reading"
