"""Names of metrics: what tools call the same thing. Events keep the name that the tool used; marts group by the key.

`transforms/macros/metrics.sql` says the same table in SQL; a test compares the two. Left out: metrics of evaluators
(`relevance`, `faithfulness`), which each tool works out in its own way: one name there is not one meaning.
"""

import re

ALIASES: dict[str, tuple[str, ...]] = {
    "thumb": (
        "like",
        "thumbs",
        "thumbsup",
        "thumbsupdown",
        "userfeedback",
        "userscore",
        "userthumb",
        "userthumbs",
        "uservote",
        "vote",
    ),
    "rating": ("starrating", "stars", "userrating"),
    "csat": ("conversationrating", "customersatisfaction", "satisfaction", "satisfactionrating", "satisfactionscore"),
    "nps": ("netpromoterscore",),
}
"""Key -> the other names of it, without case, white space, hyphens and underscores."""

KEYS: dict[str, str] = {alias: key for key, aliases in ALIASES.items() for alias in aliases}


def metric_key(name: str) -> str:
    """What a metric is grouped by: its name without case, white space, hyphens and underscores, aliases as one."""
    plain = re.sub(r"[\s_-]+", "", name.lower())
    return KEYS.get(plain, plain)
