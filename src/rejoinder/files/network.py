"""Whether a path lies on a network file system, where locks and the order of writes are not reliable."""

from __future__ import annotations

import os
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
_KINDS = {
    "9p", "afs", "afpfs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.davfs2",
    "fuse.glusterfs", "fuse.gcsfuse", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs",
    "lustre", "ncpfs", "nfs", "nfs4", "orangefs", "pvfs2", "smb2", "smb3", "smbfs", "vboxsf",
    "webdav",
}  # fmt: skip


def network_file_system(path: str | os.PathLike[str], table: Path = _TABLE) -> str | None:
    """The kind of network file system that a path lies on; None where it is local, or unknown.

    Linux alone says so in a file; elsewhere nothing is known.

    Args:
        path: The path, which need not exist.
        table: The table of mounted file systems.
    """
    try:
        lines = table.read_text(errors="replace").splitlines()
    except OSError:
        return None
    real = Path(os.path.realpath(path))
    above = {str(each) for each in (real, *real.parents)}
    longest, kind = -1, ""
    for line in lines:
        first, separator, last = line.partition(" - ")
        fields = first.split()
        if not separator or len(fields) < 5:
            continue
        mounted = _unescaped(fields[4])
        if mounted in above and len(mounted) >= longest:  # of two at one place the later one counts
            longest, kind = len(mounted), last.split()[0]
    return kind if kind in _KINDS else None


def _unescaped(name: str) -> str:
    r"""A path of the table, in which blanks and backslashes are octal numbers.

    >>> _unescaped(r"/my\040disk")
    '/my disk'
    """
    for code in ("040", "011", "012", "134"):
        name = name.replace(f"\\{code}", chr(int(code, 8)))
    return name
