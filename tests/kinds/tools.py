"""Exports of other tools: traces, evaluations, surveys, databases."""

from __future__ import annotations

from kinds.kind import Kind

KINDS: list[Kind] = []
