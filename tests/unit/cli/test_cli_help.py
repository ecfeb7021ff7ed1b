"""What --help says in a terminal of 80 columns."""

import inspect

import pytest

from command_line import commands, groups


@pytest.mark.parametrize("group", groups())
def test_no_summary_is_cut_at_80_columns(group, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = command(*group.split(), "--help")
    assert (status, err) == (0, "")
    # The application lists its verbs by task, a group of verbs under "Commands:".
    lines = [
        line
        for line in out.split("Show this message and exit.")[-1].splitlines()
        if line[:2] == "  "
    ]
    before = f"{group} " if group else ""
    inside = {
        path.removeprefix(before): each
        for path, each in commands().items()
        if path.startswith(before) and " " not in path.removeprefix(before)
    }
    shown = {line.split()[0]: " ".join(line.split()[1:]) for line in lines}
    # click cuts a first sentence that does not fit and ends it in "..."; a short_help it would wrap.
    assert set(shown) == set(inside)
    for name, each in inside.items():
        whole = each.short_help or inspect.cleandoc(each.help or "").split("\n\n")[0]
        assert shown[name] == " ".join(whole.split()), name
