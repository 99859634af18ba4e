"""The rooms of tools/layers.txt, and the includes between them as they stand in the sources."""

import dataclasses
import pathlib
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".c", ".cpp", ".h", ".hpp"}


@dataclasses.dataclass
class Layers:
    allowed: dict  # room -> the rooms it may include, in the order of the file

    def room(self, path):
        """The room of a path below the root; None for one that has none."""
        parts = path.split("/")
        if parts[0] != "koppel":
            return parts[0] if parts[0] in self.allowed else None
        inside = parts[1:]
        if len(inside) == 1:
            return inside[0] if inside[0] in self.allowed else None
        folder = "/".join(inside[:-1])
        if folder in self.allowed:
            return folder
        top = inside[0]
        divided = any(room.startswith(f"{top}/") for room in self.allowed)
        return top if top in self.allowed and not divided else None

    def tops(self):
        """Folders of the repository besides koppel/."""
        return [room for room in self.allowed if "." not in room and room not in self.library()]

    def library(self):
        """Rooms of koppel/, headers beside the folders left out: those before the umbrella header."""
        rooms = list(self.allowed)
        end = rooms.index("koppel.hpp") if "koppel.hpp" in rooms else len(rooms)
        return [room for room in rooms[:end] if "." not in room]


def read_layers(file):
    """The table, and what is wrong with it."""
    allowed, errors = {}, []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        left, colon, right = (part.strip() for part in line.partition(":"))
        where = f"{file.name}:{number}: error:"
        if not colon:
            errors.append(f"{where} expected 'room: rooms'")
            continue
        rooms = []
        for name in right.split():
            top = name.removesuffix("/*")
            found = [room for room in allowed if room == name or
                     (name.endswith("/*") and (room == top or room.startswith(f"{top}/")))]
            if not found:
                errors.append(f"{where} '{left}' includes '{name}', which is not in an earlier line")
            rooms += found
        allowed[left] = rooms
    return Layers(allowed), errors


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES) if folder.is_dir() else []


def includes(path, root):
    """The line and the name of every include; those beside the file as seen from the root."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            quote, name = match.groups()
            beside = (path.parent / name).resolve()
            if quote == '"' and beside.is_file() and beside.is_relative_to(root):
                name = beside.relative_to(root).as_posix()
            yield number, name


def root_of(arguments):
    """The folder named on the command line, or the one that this file is in."""
    return pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[1]).resolve()
