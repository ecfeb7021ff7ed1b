"""A key twice in an object is found wherever it stands, and nothing else is taken for one."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejoinder.files.strict_json import DuplicateKeyError, check_keys, strict_json


class Pairs(list):
    """The members of an object in their order, a key perhaps twice."""


def written(value, gap):
    """JSON as a careless program writes it."""
    if isinstance(value, Pairs):
        members = (f"{json.dumps(key)}{gap}:{gap}{written(each, gap)}" for key, each in value)
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(each, gap) for each in value) + "]"
    return json.dumps(value, ensure_ascii=gap == "")


def has_twice(value):
    if isinstance(value, Pairs):
        keys = [key for key, _ in value]
        return len(set(keys)) < len(keys) or any(has_twice(each) for _, each in value)
    return isinstance(value, list) and any(map(has_twice, value))


words = st.text(st.sampled_from('ab:"\\ {},é\u2028\n'), max_size=4)
values = st.recursive(
    st.one_of(words, st.integers(), st.none(), st.booleans()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(st.tuples(words, inner), max_size=4).map(Pairs),
    ),
    max_leaves=12,
)


@given(values, st.sampled_from(["", " ", "\t", "\r\n "]))
def test_both_find_a_key_twice_and_nothing_else(value, gap):
    text = written(value, gap)
    decoded = msgspec.json.decode(text)
    if has_twice(value):
        with pytest.raises(DuplicateKeyError):
            strict_json(text)
        with pytest.raises(DuplicateKeyError):
            check_keys(text, decoded)
    else:
        assert strict_json(text) == decoded
        check_keys(text, decoded)


@pytest.mark.parametrize(
    "text",
    [
        '{"text": "x", "text": "y"}',
        '{"text" : ":", "text"\t: "::"}',  # white space before the colon; colons in what is lost
        '{"text": "x", "t\\u0065xt": "y"}',  # the same key, escaped
        '{"text": "x", "text": "\\u003a"}',  # the escape of a colon makes up for the one that is lost
        '{"text": "x", "text": "\\u003A"}',
        '{"text": {"a": 1, "b": 2}, "text": 3}',
        '{"a": [{"b": [{"text": 1, "text": 1}]}]}',
    ],
)
def test_what_hides_a_key_is_seen_through(text):
    with pytest.raises(DuplicateKeyError) as caught:
        check_keys(text, msgspec.json.decode(text))
    assert caught.value.key == "text"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "10:30 \\":) \\u003a"}',
        '{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]}',
        "[]",
        '":"',
    ],
)
def test_colons_and_equal_keys_of_different_objects_are_no_fault(text):
    check_keys(text, msgspec.json.decode(text))
