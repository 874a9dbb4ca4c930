"""Agents that cheat, and the checks that have to catch them."""
