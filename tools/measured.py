"""Measured results: data files that tools write, and pages that show them.

A data file, docs/data/NAME.json, holds sections with tables, the commit and the machine of each section, and the SHA-256 of
its own sections, so that a number that is changed by hand is noticed. A page shows a selection between the markers

    <!-- measured: CAPTION -->
    <!-- end -->

which `write_page` fills in. `full_page` is Markdown of everything in a data file, for the site.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "docs/data"


def row_text(value):
    return json.dumps(value, ensure_ascii=False)


def text_of(sections):
    """Sections as JSON with a line for each row, which version control compares well."""
    lines = []
    for section in sections:
        tables = section["tables"]
        head = {key: value for key, value in section.items() if key != "tables"}
        lines.append("  {" + ",\n   ".join(f"{row_text(key)}: {row_text(value)}" for key, value in head.items()) + ',\n   "tables": [')
        for table in tables:
            head = {key: value for key, value in table.items() if key != "rows"}
            lines.append("    {" + ",\n     ".join(f"{row_text(key)}: {row_text(value)}" for key, value in head.items()) + ',\n     "rows": [')
            lines.append(",\n".join("      " + row_text(row) for row in table["rows"]))
            lines.append("     ]}" + ("," if table is not tables[-1] else ""))
        lines.append("   ]}" + ("," if section is not sections[-1] else ""))
    return "\n".join(lines) + "\n"


def sum_of(sections):
    return hashlib.sha256(text_of(sections).encode()).hexdigest()


def write(name, sections):
    DATA.mkdir(exist_ok=True)
    (DATA / f"{name}.json").write_text(f'{{"sha256": "{sum_of(sections)}",\n "sections": [\n{text_of(sections)} ]}}\n',
                                       encoding="utf-8")


def read(name):
    """The sections of a data file and whether they are what was written."""
    data = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return data["sections"], data["sha256"] == sum_of(data["sections"])


def table_text(table):
    """Markdown."""
    numbers = set(table.get("numbers", []))
    line = lambda cells: "| " + " | ".join(str(cell) for cell in cells) + " |"
    rule = ["---:" if column in numbers else "---" for column in table["columns"]]
    return "\n".join([line(table["columns"]), line(rule), *map(line, table["rows"])])


def section_of(sections, id):
    return next(section for section in sections if section["id"] == id)


def table_of(sections, id, title=None):
    return next(table for table in section_of(sections, id)["tables"] if title is None or table.get("title") == title)


def rows_of(table):
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


def select(table, columns, keep=lambda row: True):
    """A part of a table: the rows that `keep` accepts, and columns by their new names."""
    return {"columns": list(columns.values()), "numbers": [columns[c] for c in table["numbers"] if c in columns],
            "rows": [[row[column] for column in columns] for row in rows_of(table) if keep(row)]}


def sections_of(text):
    """Sections of Markdown: one for each heading of level 2, with the tables below it. Text in front of a table is what it is
    about, text behind the last one of a heading is its note."""
    sections, headings, words, lines, fenced = [], {}, [], [], False
    of_section = True

    def say():
        """The text since the last heading or table."""
        said = re.sub(r"\n{3,}", "\n\n", "\n".join(words)).strip()
        words.clear()
        return said

    def end_table():
        columns, rule, *rows = lines
        title = " · ".join(headings[level] for level in (3, 4) if level in headings)
        about = say()
        sections[-1]["tables"].append({**({"title": title} if title else {}), **({"about": about} if about else {}), "columns": columns,
                                       "numbers": [c for c, r in zip(columns, rule) if r.endswith(":")], "rows": list(rows)})
        lines.clear()

    def end_heading():
        said = say()
        if said and sections and of_section:
            sections[-1]["about"] = "\n\n".join(filter(None, [sections[-1]["about"], said]))
        elif said and sections and sections[-1]["tables"]:
            sections[-1]["tables"][-1]["note"] = said

    for line in [*text.splitlines(), "## "]:
        fenced ^= line.startswith("```")
        if line.startswith("|") and not fenced and sections:
            if not lines and of_section and not sections[-1]["tables"]:
                sections[-1]["about"], of_section = say(), False
            lines.append([cell.strip() for cell in line.strip()[1:-1].split("|")])
            continue
        if lines:
            end_table()
        match = re.match(r"(##+) ?(.*)", line)
        if match and not fenced:
            end_heading()
            level = len(match[1])
            headings = {l: title for l, title in headings.items() if l < level} | {level: match[2]}
            of_section = level == 2
            if of_section:
                sections.append({"id": re.sub(r"[^a-z0-9]+", "-", match[2].lower()).strip("-"), "title": match[2], "about": "",
                                 "tables": []})
        elif not line.startswith("!["):
            words.append(line)
    return [section for section in sections if section["tables"]]


def page_text(text, blocks):
    """The text of a page with its blocks filled in. `blocks`: caption -> Markdown."""
    def fill(match):
        return f"<!-- measured: {match[1]} -->\n{blocks[match[1]]}\n<!-- end -->"

    return re.sub(r"<!-- measured: (.+?) -->\n.*?<!-- end -->", fill, text, flags=re.DOTALL)


def write_page(name, blocks):
    page = ROOT / f"docs/{name}.md"
    page.write_text(page_text(page.read_text(encoding="utf-8"), blocks), encoding="utf-8")


def is_page_of(name, blocks):
    text = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    return text == page_text(text, blocks)


def made_text(part):
    """How a section, or a table of its own, was measured: in a sentence."""
    made = part.get("made", {})
    where = ", ".join(str(made[key]) for key in ("compiler", "processor") if key in made)
    text = "; ".join(filter(None, [f"commit {made['commit']}" if "commit" in made else "", where,
                                   f"by {made['command']}" if "command" in made else ""]))
    return f"Measured: {text}." if text else ""


def full_page(name, title, introduction):
    """Markdown of all tables of a data file."""
    parts = [f"# {title}", introduction]
    for section in read(name)[0]:
        parts += [f"## {section['title']}", section.get("about", ""), made_text(section)]
        for table in section["tables"]:
            parts += [f"### {table['title']}" if table.get("title") else "", table.get("about", ""), made_text(table),
                      table_text(table), table.get("note", "")]
    return "\n\n".join(part for part in parts if part) + "\n"


def draw(name, paint):
    """docs/figures/NAME.svg, by `paint(pyplot)`, which returns the figure. Without matplotlib the picture stays as it is."""
    os.environ.setdefault("MPLCONFIGDIR", str(ROOT / "docs/site"))
    try:
        import matplotlib
    except ImportError:
        print(f"no matplotlib: docs/figures/{name}.svg stays as it is", file=sys.stderr)
        return
    matplotlib.use("Agg")
    matplotlib.rc_file(ROOT / "docs/site/matplotlibrc")
    import matplotlib.pyplot as plt
    figure = paint(plt)
    figure.savefig(ROOT / f"docs/figures/{name}.svg", metadata={"Date": None})
    plt.close(figure)


def commit():
    """Of the sources that lie here; a mark where they have been changed since. Empty where they are no repository."""
    if shutil.which("git") is None:
        return ""
    git = lambda *words: subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "koppel", "apps", "models", "problems", "benchmarks")
    return git("rev-parse", "--short=7", "HEAD") + (" and changes" if changed else "")


def processor():
    match = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return match[1] if match else "unknown"
