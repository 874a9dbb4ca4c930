"""The tests; see AGENTS.md for how to run them."""
