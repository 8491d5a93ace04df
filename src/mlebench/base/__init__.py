"""What every package stands on: wording, progress, processes, logs, versions; nothing here knows of competitions."""
