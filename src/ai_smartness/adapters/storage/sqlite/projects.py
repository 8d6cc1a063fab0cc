"""The projects of a file, each under a number that its tables carry."""

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.ports import ProjectCount

__all__ = ["Projects"]


class Projects:
    """Names to numbers. A number never changes, so it is remembered once it was read."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers: dict[str, int] = {}
        database.when_rolled_back(self._numbers.clear)

    def number(self, name: str) -> int | None:
        """Return the project's number if the file knows it."""
        if name not in self._numbers:
            number = self._database.number("SELECT id FROM projects WHERE name = ?", (name,))
            if not number:
                return None
            self._numbers[name] = number
        return self._numbers[name]

    def made(self, name: str) -> int:
        """Return the project's number, adding the project if the file does not know it."""
        number = self.number(name)
        if number is None:
            number = self._database.run("INSERT INTO projects (name) VALUES (?)", (name,))
        return number

    def counted(self) -> list[ProjectCount]:
        """Return every project with how much it holds."""
        rows = self._database.all(
            "SELECT name, (SELECT count(*) FROM threads WHERE project_id = projects.id), events "
            "FROM projects ORDER BY name"
        )
        return [ProjectCount(str(name), int(t or 0), int(e or 0)) for name, t, e in rows]
