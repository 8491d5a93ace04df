"""What `mlebench check` looks at: everything about a competition that its author can get wrong."""
