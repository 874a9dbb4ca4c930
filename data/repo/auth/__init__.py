"""Who is asking: passwords, tokens, sessions and roles."""
