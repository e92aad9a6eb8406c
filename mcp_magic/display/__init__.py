"""How things look: pure functions from values to text and to escaped HTML."""
