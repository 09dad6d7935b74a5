"""Plans where citations stand at another revision, and rewrites the numbers of those that are certain."""
