"""The roles of a checkpoint: what it is for."""

from typing import Literal

Role = Literal["policy", "judge", "reward_model", "classifier"]
