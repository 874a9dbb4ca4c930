"""What is kept and sold: settings, clock, tables, catalogue and cart."""
