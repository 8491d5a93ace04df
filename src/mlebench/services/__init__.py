"""What the host offers to an agent inside a sandbox; one class each."""
