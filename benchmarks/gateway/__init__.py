"""What the model gateway costs."""
