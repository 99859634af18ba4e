"""The C++ reference: the public headers as Doxygen reads them, shown by Breathe; a page for each folder."""

import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

SETTINGS = """
PROJECT_NAME = koppel
OUTPUT_DIRECTORY = {out}
INPUT = {inputs}
INPUT_FILTER = "{python} {here}/cpp_comments.py"
STRIP_FROM_PATH = {root}
FULL_PATH_NAMES = YES
FILTER_SOURCE_FILES = NO
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_STATIC = YES
HIDE_FRIEND_COMPOUNDS = YES
HIDE_SCOPE_NAMES = NO
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
JAVADOC_AUTOBRIEF = YES
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = NO
SORT_MEMBER_DOCS = NO
QUIET = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
"""


def includes(root, header):
    return re.findall(r"^#include <(koppel/\S*)>", (root / header).read_text(encoding="utf-8"), re.MULTILINE)


def public_headers(root):
    """What the public header includes, directly or not, by folders of the library; those that it names come first."""
    named = includes(root, "koppel/koppel.hpp")
    found = list(named)
    for header in found:
        found += [other for other in includes(root, header) if other not in found and (root / other).is_file()]
    rooms = {}
    for path in named + sorted(found[len(named):]):
        if path.count("/") > 1:  # koppel/version.hpp is made when configuring
            is_element = path.startswith("koppel/model/elements/")
            rooms.setdefault("model/elements" if is_element else path.split("/")[1], []).append(path)
    return rooms


def head_of(text):
    """What a header says at its head, as lines without their slashes."""
    return [line[2:].removeprefix(" ") for line in re.match(r"((?://.*\n)*)", text)[1].splitlines()]


def as_markdown(lines):
    """A comment as Markdown: what is indented keeps its form."""
    out, code = [], []
    for line in [*lines, None]:
        if line is not None and (line.startswith("  ") or (code and not line.strip())):
            code.append(line)
            continue
        if code:
            body = "\n".join(code).rstrip("\n ")
            is_code = re.search(r"[;{]\s*(//.*)?$", body, re.MULTILINE) and "…" not in body
            language = "cpp" if is_code else "text"
            out += ["", f"```{language}", *(part[2:] for part in body.splitlines()), "```", ""]
            code = []
        out += [] if line is None else [plain_but_code(line)]
    return "\n".join(out).strip()


def plain_but_code(line):
    return "".join(f"`{part}`" if i % 2 else re.sub(r"([\\*_$<>\[\]#|])", r"\\\1", part)
                   for i, part in enumerate(line.split("`")))


def is_current(out, sources):
    stamp = out / "stamp"
    return stamp.is_file() and all(path.stat().st_mtime <= stamp.stat().st_mtime for path in sources)


def read_headers(root, work, headers):
    """Doxygen's XML of the headers, in work/doxygen/xml; made again where one of them is newer."""
    out = work / "doxygen"
    sources = [root / header for header in headers] + [HERE / "cpp_comments.py", HERE / "cpp.py"]
    if is_current(out, sources):
        return
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    settings = SETTINGS.format(out=out, inputs=" ".join(str(path) for path in sources[:-2]), python=sys.executable, here=HERE,
                               root=root)
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    tidy(out / "xml")
    (out / "stamp").touch()


def tidy(xml):
    """Without the namespace, which Sphinx would see declared on every page, what is private, and initial values that are texts."""
    for path in xml.glob("*.xml"):
        text = path.read_text(encoding="utf-8")
        less = re.sub(r"\s*<innernamespace .*?</innernamespace>", "", text)
        less = re.sub(r"\s*<includes .*?</includes>", "", less)
        less = re.sub(r'\s*<sectiondef kind="(private|friend)[^>]*>.*?</sectiondef>', "", less, flags=re.DOTALL)
        less = re.sub(r"\s*<initializer>(?:(?!</initializer>).)*?&quot;.*?</initializer>", "", less, flags=re.DOTALL)
        if less != text:
            path.write_text(less, encoding="utf-8")


def pages(root, work):
    """An index, and a page for each folder of the library; the elements of models have their own."""
    rooms = public_headers(root)
    read_headers(root, work, [path for paths in rooms.values() for path in paths])
    texts = {}
    lines = ["# C++, all public headers", "", "`#include <koppel/koppel.hpp>` includes all of them; "
             "[Use it from C++](how-to/from-cpp.md) is the introduction. These pages are made from the headers by Doxygen.", ""]
    for room, paths in sorted(rooms.items()):
        lines += [f"## {room}", "", "| header | is for |", "| --- | --- |"]
        page = [f"# C++: {room}", ""]
        for path in paths:
            head = head_of((root / path).read_text(encoding="utf-8"))
            inside = path.removeprefix("koppel/")
            about = re.split(r"(?<=[.:])\s", " ".join(head))[0].rstrip(":")
            anchor = re.sub(r"[^\w-]", "", inside)  # of the heading below, as MyST makes it
            lines.append(f"| [{inside}](cpp/{room.replace('/', '-')}.md#{anchor}) | {plain_but_code(about)} |")
            page += [f"## {inside}", "", "```cpp", f"#include <{path}>", "```", "", as_markdown(head), "",
                     "```{eval-rst}", f".. doxygenfile:: {path}", "   :project: koppel", "```", ""]
        texts[pathlib.Path("cpp", room.replace("/", "-") + ".md")] = "\n".join(page)
        lines.append("")
    lines += ["```{toctree}", ":hidden:", "", *(path.with_suffix("").as_posix() for path in texts), "```", ""]
    texts[pathlib.Path("cpp-reference.md")] = "\n".join(lines)
    return texts
