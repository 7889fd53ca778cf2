"""Ways in which an answer reaches somebody who should not have it, each with the proof that it would without a room."""
