"""The contract: events, specs, ids and protocols. Pydantic only, no I/O. Not dbt models, not neural networks."""
