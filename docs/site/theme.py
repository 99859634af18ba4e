"""Debian's furo, mended: its stylesheet asks a web server for another, and has lost the rule for dark systems; its script
is a module, which browsers do not load from files. Other versions of furo are left as they are."""

import pathlib
import re

KATEX = pathlib.Path("/usr/share/javascript/katex")
NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")
IMPORT = re.compile(r"@import url\(/javascript/normalize\.css/normalize\.css\);")
DARK = re.compile(r'@media not print \{\s*body\[data-theme="dark"\] \{(.*?)\}', re.DOTALL)


def mend(static):
    sheet = static / "styles/furo.css"
    text = sheet.read_text(encoding="utf-8")
    if IMPORT.search(text):
        text = IMPORT.sub(lambda match: NORMALIZE.read_text(encoding="utf-8"), text)
        dark = DARK.search(text)
        if dark and "prefers-color-scheme" not in text:
            text += '@media not print { @media (prefers-color-scheme: dark) { body:not([data-theme="light"]) {' + dark[1] + "} } }\n"
        sheet.write_text(text, encoding="utf-8")
    script = static / "scripts/furo.js"
    text = script.read_text(encoding="utf-8")
    imported = re.match(r'import Gumshoe from "\./(gumshoe-patched\.js)";\n', text)
    if imported:
        gumshoe = (script.parent / imported[1]).read_text(encoding="utf-8")
        script.write_text(gumshoe + "\n(function () {\n" + text[imported.end():] + "\n})();\n", encoding="utf-8")
