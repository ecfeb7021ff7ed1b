"""``python -m rejoinder``."""

from rejoinder.cli.app import main

main()
