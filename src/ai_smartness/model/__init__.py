"""The words we speak: values without I/O and without a clock."""
