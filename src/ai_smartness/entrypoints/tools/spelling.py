"""Write the call by which an agent does something, to be copied as it stands."""

__all__ = ["call_of"]


def call_of(tool: str, *arguments: object, **named: object) -> str:
    """Write a call, as `ai_merge('a', 'b')`."""
    said = [repr(each) for each in arguments]
    said += [f"{name}={value!r}" for name, value in named.items()]
    return f"{tool}({', '.join(said)})"
