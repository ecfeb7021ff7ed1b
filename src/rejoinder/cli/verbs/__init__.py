"""One file for each verb: it parses, calls the library and shows the result."""
