"""The faults by name, in the order that they are tried. Each is a file with a `run(stage)`."""

from collections.abc import Callable

from tests.faults import (
    aborted_transactions,
    all_brokers_restarted,
    broker_frozen,
    certificate_ran_out,
    cluster_replaced,
    collector_killed,
    corrupt_batch,
    large_event,
    leader_killed,
    rebalance,
    retention_passed,
    sink_killed,
    topic_made_again,
)
from tests.faults.stage import Outcome, Stage

FAULTS: dict[str, Callable[[Stage], Outcome]] = {
    module.__name__.rpartition(".")[2]: module.run
    for module in (
        leader_killed,
        broker_frozen,
        all_brokers_restarted,
        rebalance,
        topic_made_again,
        cluster_replaced,
        retention_passed,
        large_event,
        corrupt_batch,
        aborted_transactions,
        certificate_ran_out,
        sink_killed,
        collector_killed,
    )
}
