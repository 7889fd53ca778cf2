"""Checks that stand alone, by name."""

from collections.abc import Callable

from evals.behaviours.checks import calls, files, questions, state, words
from evals.behaviours.checks.verdict import Verdict

PLAIN: dict[str, Callable[..., Verdict]] = {
    check.__name__: check
    for check in (
        calls.any_of_calls,
        calls.called,
        calls.called_before,
        calls.called_for_each,
        calls.called_in_order,
        calls.failing_replies,
        calls.last_call,
        calls.next_is,
        calls.not_called,
        calls.not_invented,
        calls.then_only,
        files.file_has,
        files.file_is,
        files.file_lacks,
        files.files_untouched,
        files.file_lines,
        files.lines_among,
        files.lines_untouched,
        questions.asked,
        questions.asked_before,
        questions.not_asked,
        state.state_is,
        state.text_says,
        state.state_untouched,
        words.at_most_words,
        words.said,
        words.said_at_most,
        words.not_said,
    )
}
