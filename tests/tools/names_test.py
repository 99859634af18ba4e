"""Two types of one name in one namespace, in different files, are one type to the linker, which keeps either's functions. Usage: ... SOURCE"""

import collections
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
TOKEN = re.compile(r"\bnamespace\b\s*([\w:]*)\s*\{|\b(?:struct|class|enum(?:\s+class)?)\s+(\w+)(?:\s+final)?\s*(?::(?!:)[^{;()]*)?\{|[{}]")


def types(text):
    """The types that a source defines in namespaces that have names: full names."""
    text = re.sub(r'R"\w*\(.*?\)\w*"', '""', text, flags=re.DOTALL)
    text = re.sub(r"//.*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", "", text)
    around = []
    for match in TOKEN.finditer(text):
        if match[0] == "}":
            if around:
                around.pop()
            continue
        if match[2] and all(around):
            yield "::".join([*around, match[2]])
        around.append(match[1] if match[0].startswith("namespace") else "")


class Names(unittest.TestCase):
    def test_types_are_found(self):
        text = "namespace koppel {\nnamespace {\nstruct A {};\n}\nstruct B : C {};\nstruct B::D {};\nvoid f() {\n  struct E {};\n}\nenum class F { G };\n}"
        self.assertEqual(list(types(text)), ["koppel::B", "koppel::F"])

    def test_no_two_files_define_types_of_one_name(self):
        found = collections.defaultdict(list)
        for top in ("koppel", "apps"):
            for path in sorted((SOURCE / top).rglob("*.[ch]pp")):
                for name in types(path.read_text(encoding="utf-8")):
                    found[name].append(str(path.relative_to(SOURCE)))
        self.assertGreater(len(found), 500)
        self.assertEqual({name: where for name, where in found.items() if len(where) > 1}, {})


if __name__ == "__main__":
    unittest.main()
