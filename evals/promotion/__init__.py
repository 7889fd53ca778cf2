"""Whether a checkpoint takes the champion's place: what the log says, held against `stats/gate.py`."""
