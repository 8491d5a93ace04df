"""Rule violations: what a model judges of logs and code, and what the code, the submission and the record show."""
