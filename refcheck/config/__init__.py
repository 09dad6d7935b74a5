"""What a user or an edition says: engines, editions, a project's own settings. Validated, all errors at once."""
