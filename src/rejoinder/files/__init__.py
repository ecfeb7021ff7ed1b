"""Bytes on disk: read with one error for every fault, written whole or not at all, with checksums."""
