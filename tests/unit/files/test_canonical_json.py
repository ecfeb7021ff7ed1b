"""Canonical JSON: the test vectors of RFC 8785, and what it leaves to us."""

import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as some

from rejoinder.files.canonical_json import canonical

# Appendix B of RFC 8785: the bits of a number, and its text.
NUMBERS = {
    "0000000000000000": "0", "8000000000000000": "0", "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324", "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308", "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992", "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22", "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23", "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000", "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7", "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332", "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333", "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343", "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}  # fmt: skip


def test_numbers_of_the_rfc():
    for bits, text in NUMBERS.items():
        (value,) = struct.unpack(">d", bytes.fromhex(bits))
        assert canonical(value).decode() == text


def test_the_keys_of_the_rfc_are_in_the_order_of_utf_16():
    # Section 3.2.3: by code units, so that an emoji stands before U+FB33.
    keys = ["€", "\r", "\ufb33", "1", "😀", "\x80", "ö"]
    written = json.loads(canonical(dict.fromkeys(keys, 0)))
    assert list(written) == ["\r", "1", "\x80", "ö", "€", "😀", "\ufb33"]


def test_texts_of_the_rfc():
    # Section 3.2.2: two-letter escapes, \u00xx in small letters for other control characters alone.
    text = '€$\x0f\nA\'B"\\\\"/'
    assert canonical(text).decode() == r'"€$\u000f\nA' + "'" + r'B\"\\\\\"/"'


def test_what_json_does_not_have():
    assert canonical([math.nan, math.inf, -math.inf]) == b'["NaN","Infinity","-Infinity"]'
    assert canonical(2**53) == b"9007199254740992"  # a number of IEEE 754 too
    for value in (2**53 + 1, {1: 2}, b"a", object(), "\ud83d"):
        with pytest.raises(ValueError):
            canonical(value)


@given(some.floats(allow_nan=False, allow_infinity=False))
def test_every_number_comes_back(value):
    assert float(canonical(value)) == value
