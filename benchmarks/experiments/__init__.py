"""Experiments killed and resumed, and what taking turns costs and gives."""
