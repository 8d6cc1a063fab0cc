"""Import transcripts and notes; export a memory, and load an export."""
