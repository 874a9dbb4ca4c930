"""Patch's Context: what one call of a language model is sent, and what follows from it."""
