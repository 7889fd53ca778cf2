"""Importers: files that other tools exported become events. One file a format, one line here."""

from difflib import get_close_matches

from ingest.importers.aider import AIDER
from ingest.importers.alpaca_eval import ALPACA_EVAL
from ingest.importers.base import Importer
from ingest.importers.braintrust import BRAINTRUST
from ingest.importers.chatgpt import CHATGPT
from ingest.importers.cloud_events import CLOUDEVENTS
from ingest.importers.copilot_cups import COPILOT_CUPS
from ingest.importers.csv_table import CSV
from ingest.importers.exposures import EXPOSURES
from ingest.importers.github import GITHUB
from ingest.importers.helicone import HELICONE
from ingest.importers.inspect_log import INSPECT
from ingest.importers.intercom import INTERCOM
from ingest.importers.langfuse import LANGFUSE
from ingest.importers.langsmith import LANGSMITH
from ingest.importers.llmbar import LLMBAR
from ingest.importers.oasst import OASST
from ingest.importers.openwebui import OPENWEBUI
from ingest.importers.otlp_logs import OTLP_LOGS
from ingest.importers.otlp_traces import OTLP_TRACES
from ingest.importers.pandalm import PANDALM
from ingest.importers.phoenix import PHOENIX
from ingest.importers.posthog import POSTHOG
from ingest.importers.pythia import PYTHIA
from ingest.importers.slack import SLACK
from ingest.importers.swe_agent import SWE_AGENT
from ingest.importers.tau_bench import TAU_BENCH
from ingest.importers.tensorzero import TENSORZERO
from ingest.importers.weave import WEAVE
from ingest.importers.wildbench import WILDBENCH
from ingest.importers.zendesk import ZENDESK
from models.errors import TerminalError

IMPORTERS: dict[str, Importer] = {
    importer.name: importer
    for importer in (
        AIDER,
        ALPACA_EVAL,
        BRAINTRUST,
        CHATGPT,
        CLOUDEVENTS,
        COPILOT_CUPS,
        CSV,
        EXPOSURES,
        GITHUB,
        HELICONE,
        INSPECT,
        INTERCOM,
        LANGFUSE,
        LANGSMITH,
        LLMBAR,
        OASST,
        OPENWEBUI,
        OTLP_LOGS,
        OTLP_TRACES,
        PANDALM,
        PHOENIX,
        POSTHOG,
        PYTHIA,
        SLACK,
        SWE_AGENT,
        TAU_BENCH,
        TENSORZERO,
        WEAVE,
        WILDBENCH,
        ZENDESK,
    )
}
"""Format -> importer."""


def find(name: str) -> Importer:
    """The importer of format `name`. Raises TerminalError with the formats there are, the nearest first."""
    if name in IMPORTERS:
        return IMPORTERS[name]
    near = get_close_matches(name.lower(), IMPORTERS, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise TerminalError(f"there is no format {name!r}: {hint}known are {', '.join(sorted(IMPORTERS))}")


__all__ = ["IMPORTERS", "Importer", "find"]
