"""The projects of a file, each under a number that its tables carry."""

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.ports import ProjectCount

__all__ = ["Projects"]


class Projects:
    """Names to numbers. A number is remembered until another process writes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers: dict[str, int] = {}
        self._version = 0
        database.when_rolled_back(self._numbers.clear)

    def number(self, name: str) -> int | None:
        """Return the project's number if the file knows it."""
        version = self._database.number("PRAGMA data_version")
        if version != self._version:
            # Another process has written: it may have forgotten a project.
            self._version = version
            self._numbers.clear()
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

    def forget(self) -> None:
        """Read the numbers anew: a project may have gone."""
        self._numbers.clear()

    def counted(self) -> list[ProjectCount]:
        """Return every project with how much it holds."""
        rows = self._database.all(
            "SELECT name, (SELECT count(*) FROM threads WHERE project_id = projects.id), events "
            "FROM projects ORDER BY name"
        )
        return [ProjectCount(str(name), int(t or 0), int(e or 0)) for name, t, e in rows]
