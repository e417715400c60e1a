// Nothing: its target holds the headers that are read once for all.
