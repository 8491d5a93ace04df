"""The page of run groups: facts gathered from them, charts, and one HTML file that loads nothing from elsewhere."""
