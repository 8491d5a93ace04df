"""How many planted leaks the audit finds, and how often it raises a false alarm."""
