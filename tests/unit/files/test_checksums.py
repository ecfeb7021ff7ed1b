"""A damaged file is an error or the same content, never other content."""

import json

import pytest

from rejoinder.files.checksums import object_checksum, with_checksum, without_checksum

VALUE = {
    "setting": {"dropout": 0.1, "layers": 2},
    "bits_per_character": 2.531,
    "log": [{"epoch": 1, "validation_loss": -0.25}, {"epoch": 2, "validation_loss": None}],
    "notes": ["née", "1 pair left out"],
}


@pytest.mark.parametrize("indent", [None, 1])
def test_a_bit_flipped_at_every_byte_is_an_error_or_changes_nothing(indent):
    data = bytearray(json.dumps(with_checksum(VALUE), indent=indent, ensure_ascii=False).encode())
    assert without_checksum(bytes(data)) == VALUE
    refused = 0
    for place in range(len(data)):
        for bit in range(8):
            data[place] ^= 1 << bit
            try:
                found = without_checksum(bytes(data))
            except ValueError:
                refused += 1
            else:
                assert found == VALUE
            data[place] ^= 1 << bit
    assert refused > 0.8 * 8 * len(data)


@pytest.mark.parametrize(
    "text", ["", "[1]", "1", "{", '{"a": 1, "a": 1}', '{"a": 1, "sha256": ""}', '{"a": 1}']
)
def test_what_is_no_such_object_is_a_value_error(text):
    with pytest.raises(ValueError):
        without_checksum(text)


def test_the_hash_knows_no_order_of_keys():
    assert (
        object_checksum({"a": 1, "b": 2})
        == object_checksum({"b": 2, "a": 1})
        != object_checksum({"a": 1, "b": 3})
    )
