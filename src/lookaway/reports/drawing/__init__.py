"""Any Table in any format: one pure function per file. Nothing is measured, read or guessed here."""
