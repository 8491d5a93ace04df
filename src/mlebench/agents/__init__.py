"""Agents: programs that see a task, work on it, and leave a submission; the built-in ones are here."""

from mlebench.agents.agent import Agent, AgentError, Start, command_agent
from mlebench.agents.discovery import broken_manifests, find_agent, list_agents

__all__ = ["Agent", "AgentError", "Start", "broken_manifests", "command_agent", "find_agent", "list_agents"]
