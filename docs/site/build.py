"""build.py PROGRAM [--keep-pictures]: builds the documentation as a site in build/site.

A copy of docs/ in build/site-work is completed by what is generated (gallery, references, pictures,
mechanisms that run), then Sphinx makes pages of it; a warning is an error. The tutorials are run for
their pictures, and so is examples/python/NAME.py for a picture NAME.svg; what they make is kept until page or program change. --keep-pictures also writes the
pictures to docs/figures.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import gallery
import reference
import theme

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import measured  # noqa: E402
import run_pages  # noqa: E402

WORK, SITE = ROOT / "build/site-work", ROOT / "build/site"
PAGES = WORK / "docs"

# The contents: sections with their pages, in order.
CONTENTS = [
    ("Learn", ["install", "tutorials/index", "how-to/index", "gallery/index"]),
    ("Reference", ["model-format", "command-line", "options", "results", "errors", "python", "python-reference", "cpp-reference",
                   "examples"]),
    ("Topics", ["inverse", "studies", "real-time", "export", "play", "comparison"]),
    ("Theory", ["theory/index", "notation", "integrators", "references"]),
    ("Evidence", ["validation", "validation-data", "performance", "performance-data", "reliability", "reference-data"]),
    ("Development", ["architecture", "decisions/index", "contributing", "changelog"]),
]
# Pages whose own list of pages is completed, by what is in their folder.
INDEXES = ["tutorials", "how-to", "theory", "decisions"]

# What stands outside of docs/ and is linked from there: a page of the site.
OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
           "tests/reference/README.md": "reference-data.md", "examples/python": "examples.md"}

# Data files that are linked from pages: a page of the site with all their tables.
DATA = {"validation": "Validation: all results", "performance": "Performance: all results"}

PICTURE = re.compile(r"^<!-- picture of (\S+)(?: at ([\d.]+))?(?: of (.+?))? -->\n!\[[^]]*\]\((\S+)\)", re.MULTILINE)
MECHANISM = re.compile(r"^<!-- mechanism (\S+)(.*?) -->$", re.MULTILINE)
IMAGE = re.compile(r"!\[[^]]*\]\(([^)\s]+)\)")


def write(path, text):
    """Writes what is new only, so that Sphinx reads again what has changed only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.is_file() or target.read_bytes() != source.read_bytes():
        shutil.copyfile(source, target)


def digest(*parts):
    return hashlib.sha256(b"\0".join(part if isinstance(part, bytes) else str(part).encode() for part in parts)).hexdigest()[:16]


def stage():
    """A copy of docs/, and links to the rest of the project, so that links between files lead on."""
    wanted = set()
    for path in sorted((ROOT / "docs").rglob("*")):
        inside = path.relative_to(ROOT / "docs")
        if path.is_file() and inside.parts[0] != "site" and path.suffix != ".md":
            copy(path, PAGES / inside)
            wanted.add(inside)
    for path in sorted(ROOT.iterdir()):
        link = WORK / path.name
        if path.name not in ("docs", "build") and not path.name.startswith(".") and not link.exists():
            link.symlink_to(path)
    texts = {path.relative_to(ROOT / "docs"): path.read_text(encoding="utf-8")
             for path in sorted((ROOT / "docs").rglob("*.md"))}
    for name, title in DATA.items():
        texts[pathlib.Path(f"{name}-data.md")] = measured.full_page(name, title, f"Everything that [{name}]({name}.md) selects from.")
    for inside, text in texts.items():
        for path, page in OUTSIDE.items():
            up = "../" * len(inside.parts)
            text = re.sub(re.escape(f"]({up}{path}") + "/?([#)])", f"]({up[3:]}{page}\\1", text)
        for name in DATA:
            text = text.replace(f"](data/{name}.json)", f"]({name}-data.md)")
        texts[inside] = text
    for path, page in OUTSIDE.items():
        if path.endswith(".md"):
            texts[pathlib.Path(page)] = lead_from(pathlib.Path(path), (ROOT / path).read_text(encoding="utf-8"))
    return texts


def lead_from(path, text):
    """The links of a file outside of docs/ as they lead on from docs/."""
    def lead(match):
        if "://" in match[1]:
            return match[0]
        return f"]({os.path.relpath(ROOT / path.parent / match[1], ROOT / 'docs')}{match[2] or ''})"

    return re.sub(r"\]\(([^)#\s]+)(#[^)]*)?\)", lead, text)


class Made:
    """What running pages makes, kept by page and program."""

    def __init__(self, program):
        self.program, self.key, self.used = program, digest(program.read_bytes()), set()

    def folder(self, inside, text):
        """The folder in which this page's commands have been run."""
        folder = WORK / "run" / f"{inside.with_suffix('').as_posix().replace('/', '-')}-{digest(text, self.key)}"
        self.used.add(folder)
        if not (folder / ".done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            page = run_pages.run_page(ROOT / "docs" / inside, self.program, folder)
            if page.failures:
                sys.exit("\n".join(page.failures))
            (folder / ".done").touch()
        return folder

    def mechanism(self, model, options, folder):
        """The page that runs a model, in build/site/mechanisms."""
        source = folder / model if folder and (folder / model).is_file() else model
        content = source.read_bytes() if isinstance(source, pathlib.Path) else b""
        name = f"{pathlib.Path(model).stem}-{digest(self.key, content, options)}.html"
        out = WORK / "extra/mechanisms" / name
        self.used.add(out)
        if not out.is_file():
            out.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.program, "export", source, "--to", "html", "--out", out, *options.split()], check=True,
                           stdout=subprocess.DEVNULL)
        return name


    def drawing(self, script):
        """The picture that an example draws."""
        data = b"".join(path.read_bytes() for path in sorted((ROOT / "examples/data").iterdir()))
        out = WORK / "run" / f"{script.stem}-{digest(self.key, script.read_bytes(), data)}" / f"{script.stem}.svg"
        self.used.add(out.parent)
        if not out.is_file():
            out.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([sys.executable, script, out], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "MPLCONFIGDIR": str(HERE)})
        return out

    def forget_others(self):
        """Removes what earlier pages and programs left."""
        for folder in (WORK / "run", WORK / "extra/mechanisms"):
            for path in folder.glob("*"):
                if path not in self.used:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in (WORK / "gallery").glob("*"):
            if not path.name.endswith(self.key):
                shutil.rmtree(path)
        shutil.rmtree(SITE / "mechanisms", ignore_errors=True)  # copied anew


def take_pictures(shots):
    shots = [shot for shot in shots if not pathlib.Path(shot["out"]).is_file()]
    if not shots:
        return
    for shot in shots:
        pathlib.Path(shot["out"]).parent.mkdir(parents=True, exist_ok=True)
    listed = WORK / "pictures.json"
    listed.write_text(json.dumps(shots), encoding="utf-8")
    subprocess.run(["node", HERE / "pictures.mjs", listed], check=True)


def complete(inside, text, made, shots, kept):
    """A page's pictures and mechanisms."""
    needs_run = inside.parts[0] == "tutorials" and inside.name != "index.md"
    folder = made.folder(inside, text) if needs_run else None
    if folder:
        shown = {pathlib.Path(target).name: target for target in IMAGE.findall(text)}
        for path in sorted(folder.iterdir()):
            if path.name in shown:
                kept.append((path, PAGES / inside.parent / shown[path.name]))
        for source, at, of, target in PICTURE.findall(text):
            out = folder / "pictures" / pathlib.Path(target).name
            shots.append({"page": str(folder / source), "out": str(out), "at": float(at or 0), **({"of": of} if of else {})})
            kept.append((out, PAGES / inside.parent / target))

    for target in IMAGE.findall(text):
        script = ROOT / "examples/python" / f"{pathlib.Path(target).stem}.py"
        if script.is_file():
            kept.append((made.drawing(script), PAGES / inside.parent / target))

    def frame(match):
        name = made.mechanism(match[1], match[2], folder)
        up = "../" * (len(inside.parts) - 1)
        return (f'<iframe class="mechanism" src="{up}mechanisms/{name}" title="{pathlib.Path(match[1]).stem}, running" '
                f'loading="lazy"></iframe>')

    return MECHANISM.sub(frame, text)


def toctree(pages, caption="", hidden=True):
    return "\n".join(["", "```{toctree}", *([":caption: " + caption] if caption else []), *([":hidden:"] if hidden else []),
                      "", *pages, "```", ""])


def contents(texts):
    texts.setdefault(pathlib.Path("decisions/index.md"), "# Decisions\n\nChoices that someone will question, with their "
                     "reasons.\n\n" + "".join(f"- [{text.splitlines()[0].lstrip('# ')}]({path.name})\n" for path, text in
                                             sorted(texts.items()) if path.parts[0] == "decisions"))
    for name in INDEXES:
        index = pathlib.Path(name, "index.md")
        if index not in texts:
            continue
        listed = re.findall(r"\]\(([\w-]+)\.md\)", texts[index])
        others = [p.stem for p in sorted(texts) if p.parts[0] == name and p != index and p.stem not in listed]
        if others and name != "decisions":
            sys.exit(f"docs/{name}/index.md does not list {', '.join(others)}")
        texts[index] += toctree([p for p in dict.fromkeys(listed) if pathlib.Path(name, p + ".md") in texts] +
                                (others if name == "decisions" else []))
    named = {page for _, pages in CONTENTS for page in pages} | {"index"}
    others = [path.stem for path in sorted(texts) if len(path.parts) == 1 and path.stem not in named]
    for caption, pages in CONTENTS:
        pages = pages + others if caption == "Topics" else pages
        texts[pathlib.Path("index.md")] += toctree([p for p in pages if pathlib.Path(p + ".md") in texts], caption)


def statics():
    copy(theme.KATEX / "katex.min.css", WORK / "static/katex.min.css")
    copy(HERE / "site.css", WORK / "static/site.css")
    for font in sorted((theme.KATEX / "fonts").glob("*.woff2")):
        copy(font, WORK / "static/fonts" / font.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--keep-pictures", action="store_true")
    options = parser.parse_args()
    missing = [name for name in ("sphinx", "myst_parser", "furo", "matplotlib", "breathe") if importlib.util.find_spec(name) is None]
    missing += [name for name, is_there in (("katex", theme.KATEX.is_dir()), ("doxygen", shutil.which("doxygen"))) if not is_there]
    if missing:
        print(f"the site needs {', '.join(missing)}: tools/packages-docs.txt lists Debian's packages.", file=sys.stderr)
        return 77
    PAGES.mkdir(parents=True, exist_ok=True)
    (WORK / "extra").mkdir(exist_ok=True)
    os.environ.setdefault("MPLBACKEND", "Agg")
    made, shots, kept = Made(options.program), [], []
    texts = stage()
    texts = {inside: complete(inside, text, made, shots, kept) for inside, text in texts.items()}
    texts |= gallery.pages(options.program, made.key, WORK, shots)
    texts |= reference.pages(options.program, WORK, ROOT)
    take_pictures(shots)
    made.forget_others()
    for source, target in kept:
        copy(source, target)
        if options.keep_pictures:
            copy(source, ROOT / "docs/figures" / target.name)
    contents(texts)
    for inside, text in texts.items():
        write(PAGES / inside, text)
    for path in PAGES.rglob("*.md"):
        if path.relative_to(PAGES) not in texts:
            path.unlink()
    statics()
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", HERE,
                           "-d", WORK / "doctrees", PAGES, SITE],
                          env={**os.environ, "KOPPEL_SITE_WORK": str(WORK)}, check=False)
    theme.mend(SITE / "_static")
    if done.returncode == 0:
        print(SITE / "index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
