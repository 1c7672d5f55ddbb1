"""Where the features are cut in two, and what that costs."""
