"""The one process that keeps a user's memory warm: it answers hooks and drains the inbox."""
