"""How long it takes to compare submissions with kernels, and how much memory."""
