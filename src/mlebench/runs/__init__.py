"""Runs: letting agents work on competitions."""
