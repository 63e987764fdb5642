"""Tables, samples and texts as the families read them, and the sources they come from."""
