"""What a competition is: declaring, describing, finding and loading one, also in a user's own folder."""
