"""Tables, samples and texts in the form that model families read, and their sources."""
