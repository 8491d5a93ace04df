"""The audit of prepared data: what in public/ gives the answers in private/ away, and what that is worth."""
