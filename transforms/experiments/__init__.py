"""What experiments say: metrics as data, and the rules by which their effects become verdicts."""
