"""Small exports in the shape of each tool, with what must become of every row. All rows are ours.

Each file holds what real ones hold: rows that are refused, rows without feedback, rows that come twice, equal votes of
nobody in particular, and an answer that came again with another text. No row depends on a row that isn't above it.
"""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.complaints import FINE, SEEDED, STEREOTYPES

Row = dict[str, Any]


class Expected(NamedTuple):
    """What the account of a file must say."""

    format: str
    rows: int
    accepted: int
    duplicate: int
    refused: int
    without_feedback: int
    events: int
    quarantined: int = 0


class Export(NamedTuple):
    """A file of the folder, its account, and what `grown` adds: rows, and events among what they say."""

    name: str
    expected: Expected
    rows_grown: int = 0
    events_grown: int = 0


EXPORTS = (
    Export("wildbench_own/judgments.jsonl.gz", Expected("wildbench", 109, 106, 1, 2, 0, 315), 1, 3),
    Export("oasst_own/messages_flat.jsonl.gz", Expected("oasst", 8, 4, 1, 2, 1, 11, 1), 1, 2),
    Export("tools/langfuse_scores.jsonl", Expected("langfuse", 13, 11, 0, 2, 0, 27), 1, 1),
    Export("tools/langsmith_feedback.jsonl", Expected("langsmith", 9, 7, 1, 1, 0, 19)),
    Export("tools/phoenix_annotations.json", Expected("phoenix", 8, 7, 0, 1, 0, 18)),
    Export("tools/sheets_dogfood.csv", Expected("csv", 16, 13, 0, 2, 1, 13), 1, 1),
)

REASONS = {
    "wildbench": ("no session_id", "not JSON"),
    "oasst": ("person's message", "count of '+1' is -4"),
    "langfuse": ("no trace", "'perhaps'"),
    "langsmith": ("not on a run",),
    "phoenix": ("annotator_kind",),
    "csv": ("'31/13/2026'", "6 cells"),
}
"""Format -> a part of the reason for each refusal, in the order of the rows."""

EQUAL_VOTES = {"import/oasst": 3, "import/langfuse/ours/api": 2}
"""Source -> thumbs up that nobody in particular gave the same target."""


def write_exports(folder: Path, *, grown: bool = False) -> None:
    """Write every file of EXPORTS below `folder`; `grown`: the four of them that went on, a row longer each."""
    wildbench, oasst, langfuse, sheet = _wildbench(), _oasst(), _langfuse(), _sheet()
    if grown:
        wildbench.append(json.dumps(_judgement(900, "It ends in the middle of a sentence.", 2)))
        oasst.append(_message("m-2", "assistant", "Boil it for six minutes.", {"+1": 5, "-1": 1}))
        langfuse.append(_score(None, "t-2", 1, data_type="NUMERIC"))
        sheet.append("04/11/2026 10:00;;1;Nothing happens when I press stop;")
    wildbench_file, oasst_file, langfuse_file, langsmith_file, phoenix_file, sheet_file = (
        folder / export.name for export in EXPORTS
    )
    for file in (wildbench_file, oasst_file, langfuse_file):
        file.parent.mkdir(parents=True, exist_ok=True)
    wildbench_file.write_bytes(gzip.compress("\n".join(wildbench).encode()))
    oasst_file.write_bytes(gzip.compress(_lines(oasst).encode()))
    # The totals of `messages_flat` again, which the demo must leave alone.
    (oasst_file.parent / "emoji_counts.jsonl").write_text(_lines([{"message_id": "m-2", "emoji": "+1", "count": 9}]))
    langfuse_file.write_text(_lines(langfuse))
    langsmith_file.write_text(_lines(_langsmith()))
    phoenix_file.write_text(json.dumps({"data": _phoenix(), "next_cursor": None}, indent=1))
    sheet_file.write_text("\n".join(sheet) + "\n", encoding="utf-8-sig")


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _judgement(number: int, weaknesses: str, score: int, **other: object) -> Row:
    return {
        "session_id": f"w-{number:03}",
        "bench_version": "ours",
        "judge": ("judge-a", "judge-b", "judge-c")[number % 3],
        "model_test": f"model-{number % 2}",
        "score": str(score),
        "strengths": "Polite.",
        "weaknesses": weaknesses,
        "judge_error": None,
        **other,
    }


def _wildbench() -> list[str]:
    texts = [(text, 2 + number % 3) for number, text in enumerate([*STEREOTYPES, *SEEDED])]
    texts += [(text, 8 + number % 3) for number, text in enumerate(FINE)]
    rows = [_judgement(number, text, score) for number, (text, score) in enumerate(texts)]
    second_judge = _judgement(0, "", 9, judge="judge-c")
    failed = _judgement(800, "", 0) | {"score": "", "judge_error": "timed out"}
    nameless = _judgement(801, "Whose answer is this?", 3, session_id=None)
    return [*map(json.dumps, [*rows, second_judge, rows[0], failed, nameless]), json.dumps(rows[1])[:80]]


def _message(message_id: str, role: str, text: str, emojis: object, parent: str | None = "m-1") -> Row:
    return {
        "tree_id": "m-1",
        "message_id": message_id,
        "parent_id": parent,
        "role": role,
        "lang": "en",
        "text": text,
        "model_name": None,
        "emojis": emojis,
    }


def _oasst() -> list[Row]:
    plain = _message("m-3", "assistant", "Ten minutes.", None)
    return [
        _message("m-1", "prompter", "How long do I boil an egg?", None, parent=None),
        _message("m-2", "assistant", "Boil it for six minutes.", {"+1": 3, "-1": 1}),
        plain,
        _message("m-4", "prompter", "And a goose egg?", {"+1": 2}, parent="m-2"),
        _message("m-5", "assistant", "Why would you?", {"red_flag": 1, "_skip_reply": 2}, parent="m-4"),
        _message("m-6", "assistant", "Thirteen minutes.", {"+1": -4}, parent="m-4"),
        _message("m-2", "assistant", "Boil it for six and a half minutes.", {"+1": 3, "-1": 1}),
        plain,
    ]


def _score(score_id: str | None, trace: str | None, value: object, **other: object) -> Row:
    return {
        "id": score_id,
        "project_id": "ours",
        "trace_id": trace,
        "observation_id": None,
        "session_id": None,
        "name": "user-feedback",
        "value": value,
        "source": "API",
        "comment": None,
        "data_type": "BOOLEAN",
        "metadata": {},
        **other,
    }


def _langfuse() -> list[Row]:
    first = {"timestamp": "2026-11-02 23:59:59.900000", "updated_at": "2026-11-03 00:00:01.120000"}
    later = {"timestamp": "2026-11-03 00:05:00.000000", "updated_at": "2026-11-03 00:05:01.000000"}
    user = {"metadata": {"user_id": "u-1"}}
    nobody = _score(None, "t-2", 1, data_type="NUMERIC")
    return [
        _score("sc-1", "t-1", 0, comment="It edited the wrong file 😡", **first, **user),
        _score("sc-1", "t-1", 1, **later, **user),
        nobody,
        nobody,
        _score("sc-2", "t-3", 0.5, name="helpfulness", source="ANNOTATION", data_type="NUMERIC"),
        _score("sc-3", None, 1),
        _score("sc-4", "t-3", "perhaps", name="correct", source="ANNOTATION"),
        *(
            _score(f"sc-1{number}", f"t-1{number}", 0, comment=f"{text} Again.", **first)
            for number, text in enumerate(SEEDED[:6])
        ),
    ]


def _feedback(number: int, run: str | None, score: float | None, **other: object) -> Row:
    return {
        "id": f"00000000-0000-4000-8000-{number:012}",
        "created_at": "2026-11-02T23:59:59.900000+00:00",
        "session_id": "ours",
        "run_id": run,
        "trace_id": run,
        "key": "user_score",
        "score": score,
        "value": None,
        "comment": None,
        "correction": None,
        "feedback_source": {"type": "app", "user_id": f"u-{number}"},
        **other,
    }


def _langsmith() -> list[Row]:
    corrected = _feedback(1, "r-1", 0.0, comment="Not the API we use", correction={"output": "Call list_all()."})
    graded = _feedback(2, "r-1", None, key="correctness", value="incorrect", feedback_source={"type": "auto_eval"})
    return [
        corrected,
        graded,
        _feedback(3, "r-2", None, comment="Could be shorter"),
        _feedback(4, None, 1.0),
        corrected,
        *(
            _feedback(number, f"r-{number}", 0.0, comment=f"{text} Every time.")
            for number, text in enumerate(SEEDED[6:10], 10)
        ),
    ]


def _annotation(number: int, span: str, *, kind: str = "HUMAN", name: str = "user_feedback", **result: object) -> Row:
    return {
        "id": f"a-{number}",
        "span_id": span,
        "name": name,
        "annotator_kind": kind,
        "result": {"label": None, "score": None, "explanation": None, **result},
        "identifier": f"u-{number}",
        "source": "API",
        "created_at": "2026-11-02T23:59:59Z",
    }


def _phoenix() -> list[Row]:
    return [
        _annotation(1, "span-1", label="thumbs_down", score=0, explanation="It ignored what I had asked for"),
        _annotation(2, "span-1", label="thumbs_up", score=1),
        _annotation(3, "span-2", kind="LLM", name="groundedness", label="partly", score=0.4),
        _annotation(4, "span-2", kind="ROBOT", score=1),
        *(
            _annotation(number, f"span-{number}", score=0, explanation=f"{text} As always.")
            for number, text in enumerate(SEEDED[10:14], 10)
        ),
    ]


def _sheet() -> list[str]:
    nobody = "04/11/2026 10:00;;1;Nothing happens when I press stop;"
    return [
        "Timestamp;Email;Rating;What went wrong?;Link",
        '02/11/2026 23:59:59;ada@example.com;2,5;"It stops, then says',
        '""done"", and is not";https://example.com/t/1',
        '11/2/2026 11:59 PM;;;=HYPERLINK("x");',
        "2026-11-03;bea@example.com;👎;;",
        "2026-11-03;;;;",
        "31/13/2026;cy@example.com;1;Such a month;",
        "03/11/2026;dee@example.com;1;One cell; too many;",
        nobody,
        nobody,
        *(f"03/11/2026 09:{minute:02};eve@example.com;1;{text} Really;" for minute, text in enumerate(SEEDED[:8])),
    ]
