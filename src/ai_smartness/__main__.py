"""`python -m ai_smartness` is `ais`."""

from ai_smartness.entrypoints.cli.main import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
