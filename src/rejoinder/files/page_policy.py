"""What a page's Content-Security-Policy calls its own style and script by."""

from __future__ import annotations

import base64
import hashlib


def hash_of(text: str) -> str:
    """What a Content-Security-Policy calls a text by.

    >>> hash_of("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{digest}"
