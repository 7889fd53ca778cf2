"""Labels come, a spec is issued, a job fits what the build has fitted, and the next build says so."""

from collections.abc import Callable, Iterable
from pathlib import Path

from click.testing import CliRunner

from flywheel.cli import cli
from flywheel.loop import publish_specs, train
from ingest.jobs.board import Board
from ingest.log import EventLog, open_log, publish
from ingest.sink import Sink
from models.events import AnyEvent
from models.events.comment import CommentLeft
from models.events.taxonomy import TextLabelled
from models.feedback import Author, Target
from tests.transforms.conftest import Lab
from text.normal_form import normal_form, text_hash
from training.checkpoint import load
from transforms.taxonomy.assign import Version, fitted
from transforms.taxonomy.examples import Examples

KEY = "train:all:classifier"
TAXONOMY = """
modes:
  - id: billing
    name: Billing
    definition: Invoices and charges.
    examples: [I was charged twice this month., Where is my invoice., The VAT on my receipt is wrong.,
      You refunded the wrong order., My card was charged after I had cancelled., The price changed in my cart.]
  - id: parcel
    name: Parcel
    definition: What was sent.
    examples: [The parcel never arrived., The box was torn open., It came a week late.,
      The courier left it in the rain., You sent it to my old address., Half of the order is missing.]
"""
LABELS = {
    "billing": ("My bank shows two payments.", "Send me a bill please.", "The discount was not applied.", "No refund!"),
    "parcel": (
        "Still waiting for the delivery.",
        "A cup was broken.",
        "Tracking says lost.",
        "Wrong colour delivered.",
    ),
}


def said(comments: Iterable[tuple[str, str, str]]) -> list[AnyEvent]:
    """Comments (id, mode, text), each labelled by a person with its mode."""
    events: list[AnyEvent] = []
    for key, mode, text in comments:
        events += [
            CommentLeft(
                id=key, source="app", text=text, author=Author(kind="human", id=f"author-{key}"),
                target=Target(kind="response", id=f"r-{key}"),
            ),
            TextLabelled(
                id=f"label-{key}", source="t", comment_key=f"app|{key}", text_hash=text_hash(normal_form(text)),
                modes=(mode,), labelled_by="ann",
            ),
        ]  # fmt: skip
    return events


def land(lab: Lab, log: EventLog) -> None:
    Sink(log, lab.home).drain()
    lab.build()


def test_labels_make_a_spec_whose_checkpoint_is_what_the_build_assigns_by(
    new_lab: Callable[[str], Lab], tmp_path: Path
) -> None:
    lab = new_lab("taught")
    file = tmp_path / "taxonomy.yaml"
    file.write_text(TAXONOMY)
    place = ["--home", str(lab.home.path)]
    CliRunner().invoke(cli, ["modes", "import", str(file), "--replace", "--by", "ann", *place], catch_exceptions=False)
    labelled = [(f"{mode}-{n}", mode, text) for mode, texts in LABELS.items() for n, text in enumerate(texts)]
    card = "select model_version, checkpoint_id, spec_id, accuracy, ece, auroc, coverage from dim_mode_classifiers"
    with open_log(None, lab.home.path) as log:
        publish(log, said(labelled))
        land(lab, log)
        ((version, *links, accuracy, ece, auroc, coverage),) = lab.ask(card)
        assert links == [None, None], "no job has run"

        assert publish_specs(lab.home, log) == (1, 1)
        assert train(lab.home, log, lambda _: None, once=True).completed == 1
        board = Board(log)
        board.refresh()
        ((spec_id, issued),) = board.specs.items()
        assert issued.spec_key == KEY
        assert {f"app|{key}" for key, *_ in labelled} < set(issued.spec.evidence)
        checkpoint = board.checkpoints[version]
        assert (checkpoint.role, checkpoint.method, checkpoint.spec_id) == ("classifier", "mode-classifier", spec_id)

        built = fitted(Examples([], [], 0, {}), Version(version, ""))
        trained = load(lab.home.checkpoints / version, checkpoint.artifact_sha256).tensors
        assert {name: each.tobytes() for name, each in built.weights().items()} == {
            name: each.numpy().tobytes() for name, each in trained.items()
        }
        land(lab, log)

    assert lab.ask(card) == [(version, version, spec_id, accuracy, ece, auroc, coverage)]
    logged = dict(lab.ask("select metric, value from fct_training_steps"))
    assert [logged[f"heldout/{name}"] for name in ("accuracy", "ece", "auroc", "coverage")] == [
        accuracy, ece, auroc, coverage,
    ]  # fmt: skip
    assert lab.ask(
        "select distinct specs.spec_key from int_text_assignments as texts "
        "join dim_mode_classifiers using (model_version) join fct_specs as specs using (spec_id)"
    ) == [(KEY,)]
    reason = "select reason from sync_training_specs where spec_key = ?"
    assert lab.one(reason, KEY) == "too few new labels and examples of a team: 0 of 20"
    assert lab.ask("select * from int_issued_evidence") == [], "labels give no text to a side"
