"""glance.py [FOLDER]: one picture each for docs/validation.md and docs/performance.md, of the numbers in their tables."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parent


def tables(text, section, level):
    """(title, columns, rows) of the tables below headings of a level within a section."""
    part = re.split(r"^## ", text, flags=re.MULTILINE)
    part = next(body for body in part if body.startswith(section) or f"\n### {section}\n" in body)
    for block in re.split(rf"^{'#' * level} ", part, flags=re.MULTILINE)[1:]:
        lines = [line.strip("| \n").split(" | ") for line in block.splitlines() if line.startswith("|")]
        if len(lines) > 2:
            yield block.splitlines()[0], lines[0], lines[2:]


def number(text):
    try:
        return float(text)
    except ValueError:
        return float("nan")


def validation(plt, folder):
    """Correct digits at the end: ours over those that were published, of the seven case studies."""
    figure, axis = plt.subplots(figsize=(6, 4.2))
    axis.plot([1, 13], [1, 13], ":", color="grey")
    marks = iter("osD^vPX*")
    for title, columns, rows in tables((DOCS / "validation.md").read_text(encoding="utf-8"), "Seven case studies", 3):
        if "published" in columns and "natural" in columns:
            published, ours = columns.index("published"), columns.index("natural")
            points = [(number(row[published]), number(row[ours])) for row in rows]
            if any(p == p for p, _ in points):
                axis.plot(*zip(*points), next(marks), label=title, alpha=0.8)
    axis.set(xlabel="correct digits, published", ylabel="correct digits, Koppel at the same tolerance", xlim=(1, 13), ylim=(1, 15))
    axis.legend(fontsize=8, loc="upper left")
    figure.savefig(folder / "validation_glance.svg", metadata={"Date": None})


def performance(plt, folder):
    """Time over accuracy, of two closed loops."""
    found = {title: (columns, rows) for title, columns, rows in
             tables((DOCS / "performance.md").read_text(encoding="utf-8"), "Closed loops", 4)}
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
    for axis, title in zip(axes, ("slider crank", "heavy slider crank")):
        columns, rows = found[title]
        errors = [number(row[0]) for row in rows]
        for k, name in enumerate(columns[1:], 1):
            if "tape" not in name:
                style = {"linewidth": 2.5, "color": "#111111"} if name.startswith("koppel") else {"linestyle": "--"}
                axis.loglog(errors, [number(row[k]) for row in rows], ".-" if name.startswith("koppel") else ".", label=name.removesuffix(", ms"),
                            **style)
        axis.invert_xaxis()
        axis.set(xlabel="error at the end", title=title)
    axes[0].set(ylabel="time in ms, less is better")
    axes[1].legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(folder / "performance_glance.svg", metadata={"Date": None})


def draw(folder):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rc_file(HERE / "matplotlibrc")
    import matplotlib.pyplot as plt
    validation(plt, folder)
    performance(plt, folder)
    plt.close("all")


if __name__ == "__main__":
    draw(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "figures")
