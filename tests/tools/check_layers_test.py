"""tools/check_layers on small trees with one planted mistake each, and on the real table."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
TABLE = """
version.hpp:
base:
runtime:
expr/graph: base runtime    # a part
expr/text:  base expr/graph
expr:       expr/*
plant:      base expr/*
koppel.hpp: version.hpp base expr/* plant
apps:       base plant
tests:      koppel.hpp base expr/*
"""
TREE = {
    "CMakeLists.txt": "set(KOPPEL_FOLDERS\n    base\n    runtime\n    expr\n    plant)\n",
    "tools/layers.txt": TABLE,
    "koppel/base/low.hpp": "#include <vector>\n",
    "koppel/runtime/kernel.h": "#include <math.h>\n",
    "koppel/expr/graph/node.hpp": '#include <koppel/base/low.hpp>\n#include "kind.hpp"\n',
    "koppel/expr/graph/kind.hpp": "#include <koppel/runtime/kernel.h>\n",
    "koppel/expr/text/print.hpp": "#include <koppel/expr/graph/node.hpp>\n",
    "koppel/plant/deep/leaf.hpp": "#include <koppel/expr/text/print.hpp>\n",
}


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in (TREE | files).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        result = subprocess.run([sys.executable, ROOT / "tools/check_layers", root], capture_output=True, text=True)
        return result.returncode, result.stdout.strip()


class CheckLayers(unittest.TestCase):
    def refuses(self, name, text, message):
        self.assertEqual(check({name: text}), (1, message))

    def test_accepts_what_the_table_allows(self):
        clients = {"tests/t.cpp": "#include <koppel/expr/text/print.hpp>\n#include <koppel/koppel.hpp>\n",
                   "apps/a.cpp": "#include <koppel/plant/deep/leaf.hpp>\n#include <fmt/format.h>\n"}
        self.assertEqual(check(clients), (0, "8 files in 10 rooms include what they may"))

    def test_refuses_a_room_that_is_not_allowed(self):
        self.refuses("koppel/base/bad.cpp", "\n#include <koppel/expr/graph/node.hpp>\n",
                     "koppel/base/bad.cpp:2: error: 'base' may not include 'expr/graph' "
                     "(koppel/expr/graph/node.hpp); it may include: nothing")

    def test_refuses_an_earlier_room_that_is_not_allowed(self):
        self.refuses("koppel/plant/bad.cpp", "#include <koppel/runtime/kernel.h>\n",
                     "koppel/plant/bad.cpp:1: error: 'plant' may not include 'runtime' "
                     "(koppel/runtime/kernel.h); it may include: base expr/graph expr/text expr")

    def test_refuses_a_later_part_of_the_same_folder(self):
        self.refuses("koppel/expr/graph/bad.cpp", '#include "../text/print.hpp"\n',
                     "koppel/expr/graph/bad.cpp:1: error: 'expr/graph' may not include 'expr/text' "
                     "(koppel/expr/text/print.hpp); it may include: base runtime")

    def test_refuses_in_the_programs_too(self):
        self.refuses("apps/bad.cpp", "#include <koppel/expr/graph/node.hpp>\n",
                     "apps/bad.cpp:1: error: 'apps' may not include 'expr/graph' "
                     "(koppel/expr/graph/node.hpp); it may include: base plant")
        self.refuses("koppel/plant/bad.cpp", '#include "apps/commands.hpp"\n',
                     "koppel/plant/bad.cpp:1: error: 'plant' may not include 'apps' "
                     "(apps/commands.hpp); it may include: base expr/graph expr/text expr")

    def test_refuses_the_umbrella_in_the_library(self):
        self.refuses("koppel/plant/bad.cpp", "#include <koppel/koppel.hpp>\n",
                     "koppel/plant/bad.cpp:1: error: 'plant' may not include 'koppel.hpp' "
                     "(koppel/koppel.hpp); it may include: base expr/graph expr/text expr")

    def test_refuses_folders_without_a_line(self):
        self.refuses("apps/a.cpp", "#include <koppel/nowhere/x.hpp>\n",
                     "apps/a.cpp:1: error: 'koppel/nowhere/x.hpp' is in no room of tools/layers.txt")
        self.refuses("koppel/stray/x.hpp", "", "koppel/stray: error: no line in tools/layers.txt")
        self.refuses("koppel/expr/new/x.hpp", "", "koppel/expr/new: error: no line in tools/layers.txt")

    def test_refuses_cpp_headers_in_runtime(self):
        self.refuses("koppel/runtime/bad.h", "#include <vector>\n",
                     "koppel/runtime/bad.h:1: error: 'vector' is no C99 header; "
                     "koppel/runtime includes only those and its own")

    def test_refuses_a_table_with_cycles_or_against_cmake(self):
        self.refuses("tools/layers.txt", TABLE.replace("base:", "base: plant"),
                     "layers.txt:3: error: 'base' includes 'plant', which is not in an earlier line")
        self.refuses("CMakeLists.txt", "set(KOPPEL_FOLDERS\n base\n runtime\n plant\n expr)\n",
                     "\n".join(f"tools/layers.txt: error: 'plant' may include '{part}', but 'expr' comes after "
                               "'plant' in KOPPEL_FOLDERS" for part in ("expr/graph", "expr/text", "expr")))


class RealTable(unittest.TestCase):
    def plant(self, file, header):
        table = (ROOT / "tools/layers.txt").read_text()
        return check({"tools/layers.txt": table, "CMakeLists.txt": (ROOT / "CMakeLists.txt").read_text(),
                      "koppel/expr/graph/node.hpp": "", "koppel/plant/deep/leaf.hpp": "",
                      file: f"#include <koppel/{header}>\n"})[1]

    def test_keeps_both_waists_and_the_examples_clean(self):
        for file, header, room, other in [
            ("koppel/integrate/bad.cpp", "formulation/formulation.hpp", "integrate", "formulation"),
            ("koppel/integrate/bad.cpp", "equations/equations.hpp", "integrate", "equations"),
            ("koppel/problem/bad.hpp", "equations/equations.hpp", "problem", "equations"),
            ("koppel/equations/bad.cpp", "problem/problem.hpp", "equations", "problem"),
            ("koppel/expr/algebra/bad.cpp", "model/model.hpp", "expr/algebra", "model"),
            ("examples/bad/main.cpp", "model/model.hpp", "examples", "model"),
        ]:
            with self.subTest(room=room, other=other):
                self.assertIn(f"{file}:1: error: '{room}' may not include '{other}'", self.plant(file, header))


if __name__ == "__main__":
    unittest.main()
