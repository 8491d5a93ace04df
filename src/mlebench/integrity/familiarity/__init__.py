"""Familiarity: how well a model knows the texts about a competition, and whether that goes with how well it does."""
