"""How far metrics agree with human ratings: turn level, unit level, system level."""
