"""Our metrics in other frameworks: a module for each, which needs the framework only when it is used."""
