"""How `askew score-replies` may score replies to this task."""

from __future__ import annotations

import click

REPLY_OPTIONS = (click.Option(["--extraction"], help="published (default) or strict."),)
