"""The view of run groups in a browser while they run: a read-only server on loopback, and what it shows."""
