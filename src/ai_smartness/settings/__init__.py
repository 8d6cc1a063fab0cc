"""Settings: which there are, where each value comes from, and where the files of a memory are.

Defaults, then the user's file, then the project's, then the environment: the last one wins. Every
value is checked before it is used. Nothing is imported here, because the hook imports `paths`.
"""
