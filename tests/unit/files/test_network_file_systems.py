"""Which file systems are taken for network file systems."""

import pytest

from rejoinder.errors import InputError
from rejoinder.files import network
from rejoinder.files.database import refuse_network
from rejoinder.files.network import network_file_system
from rejoinder.studies.tables import STUDY

TABLE = r"""22 1 0:21 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /home rw shared:2 - nfs4 server:/home rw
31 30 0:31 / /home/me/local\040disk rw - ext4 /dev/sdb1 rw
32 22 0:32 / /data rw - ext4 /dev/sdc1 rw
33 22 0:33 / /data rw - cifs //server/data rw
a line that is none
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/a.sqlite", None),
        ("/home/me/a.sqlite", "nfs4"),
        ("/home/me/local disk/a.sqlite", None),
        ("/data/a.sqlite", "cifs"),  # mounted over the other
        ("/database/a.sqlite", None),
    ],
)
def test_the_innermost_mount_counts(tmp_path, path, kind):
    table = tmp_path / "mountinfo"
    table.write_text(TABLE)
    assert network_file_system(path, table) == kind
    assert network_file_system(path, tmp_path / "absent") is None


def test_a_study_is_not_kept_there(tmp_path, monkeypatch):
    monkeypatch.setattr("rejoinder.files.database.network_file_system", lambda path: "nfs")
    with pytest.raises(InputError, match=r"network file system \(nfs\)"):
        refuse_network(tmp_path / "a.sqlite", STUDY)
    assert network.network_file_system(tmp_path / "a.sqlite") is None
