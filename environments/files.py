"""A tree of text files in memory, from `{path: text}`. Left out: folders without files, rights, links."""

from typing import Any

from environments.part import Arguments, Tool, text, tool, wrong
from environments.world import Answer

MOST_HITS = 40


class Files:
    """Files that can be listed, searched, read, written, edited and deleted."""

    def __init__(self, given: dict[str, str]) -> None:
        self._files = dict(given)

    def tools(self) -> list[Tool]:
        """See `Part.tools`."""
        return [
            tool("list_files", "List the files, or those below a folder.", self._list, "folder", folder="string"),
            tool("read_file", "Read a file.", self._read, path="string"),
            tool("write_file", "Write a whole file; makes it if it isn't there.", self._write,
                 path="string", text="string"),
            tool("edit_file", "Replace a text that is in a file exactly once.", self._edit,
                 path="string", old="string", new="string"),
            tool("delete_file", "Delete a file.", self._delete, path="string"),
            tool("search_files", "Find the lines that hold a text, in any case.", self._search, text="string"),
        ]  # fmt: skip

    def dormant(self) -> list[Tool]:
        """See `Part.dormant`."""
        return []

    def state(self) -> Any:
        """`{path: text}`."""
        return dict(self._files)

    def _list(self, arguments: Arguments) -> Answer:
        folder = text(arguments, "folder", "").strip("./")
        found = [path for path in sorted(self._files) if not folder or path.startswith(f"{folder}/")]
        return Answer("\n".join(found)) if found else wrong(f"there are no files below {folder!r}")

    def _read(self, arguments: Arguments) -> Answer:
        path = text(arguments, "path")
        return Answer(self._files[path]) if path in self._files else self._none(path)

    def _write(self, arguments: Arguments) -> Answer:
        path, new = text(arguments, "path"), text(arguments, "text")
        if not path or path.startswith("/") or ".." in path.split("/"):
            return wrong(f"{path!r} is no path here: give one without a leading / and without ..")
        self._files[path] = new
        return Answer(f"wrote {len(new)} characters to {path}")

    def _edit(self, arguments: Arguments) -> Answer:
        path, old, new = text(arguments, "path"), text(arguments, "old"), text(arguments, "new")
        if path not in self._files:
            return self._none(path)
        times = self._files[path].count(old) if old else 0
        if times != 1:
            return wrong(f"old is there {times} times in {path}: it must be there once")
        self._files[path] = self._files[path].replace(old, new)
        return Answer(f"edited {path}")

    def _delete(self, arguments: Arguments) -> Answer:
        path = text(arguments, "path")
        if self._files.pop(path, None) is None:
            return self._none(path)
        return Answer(f"deleted {path}")

    def _search(self, arguments: Arguments) -> Answer:
        wanted = text(arguments, "text").lower()
        hits = [
            f"{path}:{number}: {line}"
            for path, content in sorted(self._files.items())
            for number, line in enumerate(content.splitlines(), 1)
            if wanted in line.lower()
        ]
        if not hits:
            return wrong(f"no line holds {wanted!r}")
        more = f"\n... and {len(hits) - MOST_HITS} more lines" if len(hits) > MOST_HITS else ""
        return Answer("\n".join(hits[:MOST_HITS]) + more)

    def _none(self, path: str) -> Answer:
        return wrong(f"there is no file {path!r}: list_files says which there are")
