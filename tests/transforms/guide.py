"""docs/questions.md taken apart: the twenty questions, and the ways from a number to its events."""

import re
from pathlib import Path

GUIDE = (Path(__file__).parents[2] / "docs/questions.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^### (.+?)\n```sql\n(.+?);\n```\n(.*?)(?=\n#|\Z)", re.MULTILINE | re.DOTALL)

QUESTIONS, NUMBERS = (
    {title: (statement, reading.strip()) for title, statement, reading in BLOCK.findall(part)}
    for part in GUIDE.split("# From a number to its events")
)
"""Title -> the statement, and how to read what it gives."""
