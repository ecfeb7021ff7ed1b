"""A run goes on from its checkpoint as though nothing had happened."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from rejoinder.errors import InputError  # noqa: E402
from rejoinder.files.run_identity import differences  # noqa: E402
from rejoinder.models.training.checkpoints import Checkpoint, Run  # noqa: E402


class Tied(torch.nn.Module):
    """Two names for one matrix, and dropout, which draws from torch's generator."""

    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(4, 4)
        self.two = torch.nn.Linear(4, 4)
        self.two.weight = self.one.weight

    def forward(self, x):
        return self.two(torch.nn.functional.dropout(self.one(x), 0.5))


def parts(seed=0):
    torch.manual_seed(seed)
    model = Tied()
    adam = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.98), weight_decay=1e-4)
    return Run({"model": model}, {"adam": adam})


def steps(run, n):
    for _ in range(n):
        loss = run.modules["model"](torch.randn(3, 4)).square().mean()
        run.optimizers["adam"].zero_grad()
        loss.backward()
        run.optimizers["adam"].step()
    return {k: v.clone() for k, v in run.modules["model"].state_dict().items()}


def test_goes_on_exactly(tmp_path):
    whole = parts()
    expected = steps(whole, 7)
    first = parts()
    steps(first, 3)
    checkpoint = Checkpoint(tmp_path / "c", {"seed": 0})
    checkpoint.save(
        first, {"step": 3, "order": [2, 0]}, {"best": first.modules["model"].state_dict()}
    )
    best = {k: v.clone() for k, v in first.modules["model"].state_dict().items()}
    second = parts(seed=99)
    progress, kept = checkpoint.load(second)
    assert progress == {"step": 3, "order": [2, 0]}
    assert all(torch.equal(kept["best"][k], v) for k, v in best.items())
    found = steps(second, 4)
    assert all(torch.equal(found[k], v) for k, v in expected.items())
    assert second.modules["model"].two.weight is second.modules["model"].one.weight
    assert second.optimizers["adam"].param_groups[0]["betas"] == (0.9, 0.98)


def test_a_save_removes_what_a_killed_one_left_and_writes_no_name_that_can_be_foreseen(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.write_text("keep")
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / ".state.json.part").symlink_to(theirs)
    for name in (".state.json.7-0123abcd.part", ".tmpAbC", "tensors-1.safetensors"):
        (folder / name).write_text("half")
    Checkpoint(folder, {}).save(parts(), {})
    assert {each.name for each in folder.iterdir()} == {"state.json", "tensors-2.safetensors"}
    assert theirs.read_text() == "keep"


def test_a_second_save_replaces_the_first_and_remove_leaves_nothing(tmp_path):
    run, checkpoint = parts(), Checkpoint(tmp_path / "c", {})
    checkpoint.save(run, {"step": 1})
    checkpoint.save(run, {"step": 2})
    assert checkpoint.load(run)[0] == {"step": 2}
    assert len(list((tmp_path / "c").iterdir())) == 2
    checkpoint.remove()
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    "name",
    ["tensors-1.safetensors.bak", "my-tensors-1.safetensors", "notes.txt", "tensors-x.safetensors"],
)
def test_files_of_others_are_never_removed(tmp_path, name):
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / name).write_text("mine")
    run, checkpoint = parts(), Checkpoint(folder, {})
    with pytest.raises(InputError, match=f"holds other things \\('{re.escape(name)}'\\)"):
        checkpoint.save(run, {"step": 1})
    (folder / name).unlink()
    checkpoint.save(run, {"step": 1})
    (folder / name).write_text("mine")  # put there while it is trained
    checkpoint.save(run, {"step": 2})
    checkpoint.remove()
    assert [path.name for path in folder.iterdir()] == [name]
    checkpoint.remove()  # of nothing
    assert (folder / name).read_text() == "mine"


def test_a_symbolic_link_is_no_place_for_a_checkpoint(tmp_path):
    theirs = tmp_path / "theirs"
    Checkpoint(theirs, {}).save(parts(), {"step": 1})
    before = sorted(path.name for path in theirs.iterdir())
    (tmp_path / "c").symlink_to(theirs)
    checkpoint = Checkpoint(tmp_path / "c", {})
    with pytest.raises(InputError, match="is a symbolic link"):
        checkpoint.save(parts(), {"step": 2})
    checkpoint.remove()
    assert sorted(path.name for path in theirs.iterdir()) == before


def damages():
    def cut(folder):
        path = next(folder.glob("tensors-*"))
        path.write_bytes(path.read_bytes()[:-5])

    def altered(folder):
        path = folder / "state.json"
        path.write_text(path.read_text().replace('"step": 1', '"step": 9'))

    return {
        "cut tensors": cut,
        "altered state": altered,
        "no tensors": lambda folder: next(folder.glob("tensors-*")).unlink(),
        "cut state": lambda folder: (folder / "state.json").write_text('{"form'),
        "foreign": lambda folder: (folder / "state.json").write_text("[1]"),
        "no state": lambda folder: (folder / "state.json").unlink(),
    }


@pytest.mark.parametrize("damage", damages().values(), ids=damages().keys())
def test_damage_is_one_message(tmp_path, damage):
    checkpoint = Checkpoint(tmp_path / "c", {})
    checkpoint.save(parts(), {"step": 1})
    damage(tmp_path / "c")
    with pytest.raises(InputError, match=r"checkpoint|anew"):
        checkpoint.load(parts())


def test_another_run_is_refused(tmp_path):
    Checkpoint(tmp_path / "c", {"seed": 1}).save(parts(), {})
    with pytest.raises(
        InputError, match=r"another run: seed was 1, is 2; .* remove \S*/c to start"
    ):
        Checkpoint(tmp_path / "c", {"seed": 2}).load(parts())


def test_every_setting_that_differs_is_named_with_both_values(tmp_path):
    there = {"kind": "gru", "schedule": {"epochs": 60, "rate": 0.1}, "encoder": "", "sizes": [1, 2]}
    here = {
        "kind": "gru",
        "schedule": {"epochs": 59, "rate": 0.1},
        "encoder": "ab",
        "sizes": (1, 2),
    }
    Checkpoint(tmp_path / "c", there).save(parts(), {})
    with pytest.raises(InputError) as told:
        Checkpoint(tmp_path / "c", here, tmp_path / "m.work").load(parts())
    assert "epochs was 60, is 59; encoder was none, is ab; repeat that run's" in str(told.value)
    assert str(told.value).endswith(f"or remove {tmp_path / 'm.work'} to start anew")
    assert "{" not in str(told.value)
    many = [{str(i): value for i in range(9)} for value in (1, 2)]
    assert differences(*many).endswith("5 was 1, is 2; and 3 more")
    # A group that one of them lacks makes another run too.
    group = {"seed": 1, "schedule": {"epochs": 60}}
    assert differences(group, {"seed": 1}) == "schedule is given for one of them alone"
    assert differences({"seed": 1}, group) == "schedule is given for one of them alone"


def test_the_files_of_a_checkpoint_follow_the_umask(tmp_path):
    before = os.umask(0o022)
    try:
        Checkpoint(tmp_path / "c", {}).save(parts(), {})
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "c").iterdir()} == {0o644}


def test_another_model_is_refused(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", {})
    checkpoint.save(parts(), {})
    with pytest.raises(InputError, match="of another model"):
        checkpoint.load(Run({"model": torch.nn.Linear(2, 2)}))


SAVES = """
    import sys, torch
    from pathlib import Path
    from rejoinder.models.training.checkpoints import Checkpoint, Run
    model = torch.nn.Linear(300, 300)
    checkpoint, step = Checkpoint(Path(sys.argv[1]), {}), 0
    while True:
        step += 1
        torch.nn.init.constant_(model.weight, step)
        checkpoint.save(Run({"model": model}), {"step": step})
        print(step, flush=True)
"""


def test_kill_while_saving_leaves_a_complete_one(tmp_path):
    generator = np.random.default_rng(5)
    command = [sys.executable, "-c", textwrap.dedent(SAVES), str(tmp_path / "c")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        time.sleep(generator.uniform(0, 0.3))
        os.kill(process.pid, signal.SIGKILL)
    model = torch.nn.Linear(300, 300)
    progress, _ = Checkpoint(tmp_path / "c", {}).load(Run({"model": model}))
    assert (model.weight == progress["step"]).all()
    assert json.loads((tmp_path / "c" / "state.json").read_text())["progress"] == progress


FILLS = """
    import resource, signal, sys, torch
    from pathlib import Path
    from rejoinder.errors import InputError
    from rejoinder.models.training.checkpoints import Checkpoint, Run
    from rejoinder.models.training.folder import Record, write_folder
    model = torch.nn.Linear(300, 300)
    checkpoint = Checkpoint(Path(sys.argv[1], "c"), {})
    checkpoint.save(Run({"model": model}), {"step": 1})
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    for write in (
        lambda: checkpoint.save(Run({"model": model}), {"step": 2}),
        lambda: write_folder(Path(sys.argv[1], "m"), Record("line", {}), model.state_dict()),
    ):
        try:
            write()
        except InputError as error:
            print(error)
"""


def test_a_disk_that_takes_no_more_is_told_and_what_was_saved_stays(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(FILLS), str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.stderr == ""
    checkpoint, folder = told.stdout.splitlines()
    assert re.search(r"/c: the checkpoint cannot be written: .*File too large.* place$", checkpoint)
    assert re.search(r"/m: cannot be written: .*File too large.*; choose another place$", folder)
    run = Run({"model": torch.nn.Linear(300, 300)})
    assert Checkpoint(tmp_path / "c", {}).load(run)[0] == {"step": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
