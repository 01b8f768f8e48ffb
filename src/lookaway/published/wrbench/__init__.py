"""What follows from WRBench's printed numbers, and how they stand against its release."""
