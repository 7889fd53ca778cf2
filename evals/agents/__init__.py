"""Agents: who works on a task in a room. A command line, a model behind an endpoint, or a script for tests."""

from evals.agents.agent import Agent, Budget, Ended
from evals.agents.script import Bring, Cue, Say, Script, TakeAway

__all__ = ["Agent", "Bring", "Budget", "Cue", "Ended", "Say", "Script", "TakeAway"]
