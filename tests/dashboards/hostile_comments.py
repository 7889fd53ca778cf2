"""What people may write, and pages must show without harm."""

from models.events.comment import CommentLeft
from models.feedback import Author, Target

SCRIPT = "<script>window.evil = 1</script><img src=x onerror='window.evil = 1'>"
LONG = "It goes on and on. " + "long " * 198_000
ARABIC = "الإجابة لا تتبع التعليمات التي كتبتها"
FORMULA = '=HYPERLINK("http://evil.example","click")'


def hostile_comments() -> list[CommentLeft]:
    """One comment each, under the source `hostile` and these ids."""
    texts = {"script": SCRIPT, "long": LONG, "arabic": ARABIC, "formula": FORMULA}
    return [
        CommentLeft(
            id=name, source="hostile", target=Target(kind="response", id="r-0001"), text=text,
            author=Author(kind="human", id=f"<b>{name}</b>"),
        )
        for name, text in texts.items()
    ]  # fmt: skip
