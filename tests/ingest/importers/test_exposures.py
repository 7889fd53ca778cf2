"""Exposures come as they are: faults are for marts to show."""

from typing import Any

TABLE = (
    "user_id,anonymous_id,experiment_id,variation_id,timestamp\n"
    "u1,,x1,0,2026-11-01T00:00:00Z\nu1,,x1,1,2026-11-02T00:00:00Z\n"
    ",anon-9,x1,1,2026-11-01T12:00:00Z\nu9,anon-9,x1,0,2026-11-01T12:05:00Z\n"
    ",anon,x1,1,2026-11-01T13:00:00Z\n,anon,x1,1,2026-11-01T13:00:00Z\n,,x1,1,2026-11-01T13:00:00Z\nu2,,x1,1,yesterday\n"
)


def test_two_variants_a_merge_and_a_constant_id_are_kept_and_nobody_is_refused(place: Any) -> None:
    path = place.files / "exposures.csv"
    path.write_text(TABLE)
    account = place.run("exposures", path)
    assert (account.rows, account.accepted, account.refused) == (8, 6, 2)
    seen = [(event.person_id, event.anonymous_id, event.variant) for event in place.events("experiments")]
    assert sorted(map(str, seen)) == sorted(
        map(
            str,
            [
                ("u1", None, "0"),
                ("u1", None, "1"),
                (None, "anon-9", "1"),
                ("u9", "anon-9", "0"),
                (None, "anon", "1"),
                (None, "anon", "1"),
            ],
        )
    )
    assert any("exposure is of nobody" in reason for reason in account.reasons)
    path.write_text(TABLE + "u3,,x1,1,2026-11-03T00:00:00Z\n")
    assert place.run("exposures", path).accepted == 1
