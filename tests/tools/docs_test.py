"""Pages of docs/ and their figures belong together, and links lead somewhere. Usage: ... SOURCE"""

import pathlib
import re
import sys
import unicodedata
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))


def pages():
    return [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]


def sections(page):
    """The anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower().replace("`", "")).strip().replace(" ", "-") for title in titles}


def citations():
    """What comments and pages cite, in brackets with names and years: keys, and the first place of each."""
    found = {}
    for top in ("koppel", "apps", "docs", "examples", "models", "problems", "benchmarks", "python", "tests", "viewer/src"):
        for path in sorted((SOURCE / top).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".h", ".c", ".md", ".py", ".yaml", ".ts", ".mjs") or "site" in path.parts:
                continue
            text = re.sub(r"\n\s*(//|\*|#)?\s*", " ", path.read_text(encoding="utf-8", errors="replace"))
            for group in re.findall(r"\[([A-Z][^][\"`{}()=]*?(?:19|20)\d\d[^][]*)\](?!\()", text):
                for source in group.split(";"):
                    match = re.match(r"\s*([A-Z].*?)(?:,|\s&|\set al|\s(?=(?:19|20)\d\d))(.*)", source)
                    for year in re.findall(r"\b(?:19|20)\d\d\b", match[2]) if match else []:
                        name = unicodedata.normalize("NFKD", match[1]).encode("ascii", "ignore").decode()
                        found.setdefault(re.sub(r"[^a-z0-9]", "", name.lower()) + year, path.name)
    return found


class Docs(unittest.TestCase):
    def test_links_to_files_lead_to_files(self):
        for page in pages():
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
                if "://" in target:
                    continue
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists())

    def test_links_to_sections_lead_to_sections(self):
        for page in pages():
            for target in re.findall(r"\]\(([^)\s]*#[^)\s]+)\)", page.read_text(encoding="utf-8")):
                path, _, section = target.partition("#")
                file = page.parent / path if path else page
                if "://" in target or file.suffix != ".md":
                    continue
                with self.subTest(page=page.name, target=target):
                    self.assertIn(section, sections(file))

    def test_every_picture_says_what_it_shows(self):
        for page in pages():
            for text in re.findall(r"!\[([^]]*)\]\(", page.read_text(encoding="utf-8")):
                self.assertTrue(text, page)

    def test_the_bibliography_can_be_read(self):
        text = (SOURCE / "docs/references.bib").read_text(encoding="utf-8")
        entries = re.findall(r"^@\w+\{(\w+),\n((?:  .*\n)+)\}\n", text, re.MULTILINE)
        self.assertEqual([key for key, _ in entries], re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE))
        self.assertEqual(len(entries), len(dict(entries)))
        for key, body in entries:
            with self.subTest(key):
                self.assertEqual(body.count("{"), body.count("}"))
                for field in ("author", "title", "year"):
                    self.assertRegex(body, rf"(?m)^  {field} +=")

    def test_what_is_cited_is_in_the_bibliography_and_what_is_there_is_cited(self):
        keys = set(re.findall(r"^@\w+\{(\w+),", (SOURCE / "docs/references.bib").read_text(encoding="utf-8"), re.MULTILINE))
        cited = citations()
        self.assertEqual({key: where for key, where in cited.items() if key not in keys}, {})
        self.assertEqual(sorted(keys - set(cited)), [])

    def test_the_moving_picture_of_the_readme_is_of_its_model(self):
        model = re.search(r"```yaml\n(.*?)```", (SOURCE / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
        picture = (SOURCE / "docs/figures/dragged.svg").read_text(encoding="utf-8")
        self.assertIn(f"<desc>{model}</desc>", picture, "node docs/site/dragged.mjs PROGRAM draws it again")
        self.assertLess(len(picture), 300_000)

    def test_the_readme_is_short(self):
        self.assertLess(len((SOURCE / "README.md").read_text(encoding="utf-8").splitlines()), 100)

    def test_every_figure_is_shown(self):
        text = "".join(page.read_text(encoding="utf-8") for page in pages())
        for figure in sorted((SOURCE / "docs" / "figures").iterdir()):
            with self.subTest(figure.name):
                self.assertIn(f"figures/{figure.name}", text)


if __name__ == "__main__":
    unittest.main()
