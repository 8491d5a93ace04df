"""What `--obfuscate` hides, what it does not, and how well a competition is still recognised."""
