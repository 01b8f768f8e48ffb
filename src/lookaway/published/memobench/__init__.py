"""MemoBench's printed tables: what follows from them, and how they stand against themselves and the release."""
