"""Jobs that an operator runs by hand."""
