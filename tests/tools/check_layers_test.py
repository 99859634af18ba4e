"""tools/check_layers on small trees with one planted include each."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parents[2] / "tools" / "check_layers"


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        tree = {
            "CMakeLists.txt": "set(KOPPEL_FOLDERS\n    base\n    runtime\n    expr)\n",
            "koppel/base/low.hpp": "#include <vector>\n",
            "koppel/runtime/kernel.h": "#include <math.h>\n",
            "koppel/expr/high.hpp": '#include <koppel/base/low.hpp>\n#include "low.hpp"\n',
            "koppel/expr/low.hpp": "#include <koppel/runtime/kernel.h>\n",
            **files,
        }
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        result = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True)
        return result.returncode, result.stdout.strip()


class CheckLayers(unittest.TestCase):
    def refuses(self, name, text, message):
        self.assertEqual(check({name: text}), (1, message))

    def test_accepts_includes_of_earlier_folders(self):
        client = {"tests/t.cpp": "#include <koppel/expr/high.hpp>\n#include <koppel/koppel.hpp>\n"}
        self.assertEqual(check(client), (0, "5 files, 3 folders: in order"))

    def test_refuses_a_later_folder(self):
        self.refuses("koppel/base/bad.cpp", "\n#include <koppel/expr/high.hpp>\n",
                     "koppel/base/bad.cpp:2: error: 'expr' comes after 'base'")

    def test_refuses_a_later_folder_by_relative_path(self):
        self.refuses("koppel/base/bad.cpp", '#include "../expr/high.hpp"\n',
                     "koppel/base/bad.cpp:1: error: 'expr' comes after 'base'")

    def test_refuses_an_unlisted_folder(self):
        self.refuses("apps/a.cpp", "#include <koppel/nowhere/x.hpp>\n",
                     "apps/a.cpp:1: error: 'nowhere' is not in KOPPEL_FOLDERS of CMakeLists.txt")
        self.refuses("koppel/stray/x.hpp", "",
                     "koppel/stray: error: not in KOPPEL_FOLDERS of CMakeLists.txt")

    def test_refuses_cpp_headers_in_runtime(self):
        self.refuses("koppel/runtime/bad.h", "#include <vector>\n",
                     "koppel/runtime/bad.h:1: error: 'vector' is no C99 header; "
                     "koppel/runtime includes only those and its own")

    def test_refuses_an_earlier_folder_in_runtime(self):
        self.refuses("koppel/runtime/bad.h", "#include <koppel/base/low.hpp>\n",
                     "koppel/runtime/bad.h:1: error: "
                     "koppel/runtime includes only C99 headers and its own")

    def test_refuses_the_umbrella_and_clients_in_the_library(self):
        self.refuses("koppel/expr/bad.cpp", "#include <koppel/koppel.hpp>\n",
                     "koppel/expr/bad.cpp:1: error: "
                     "the umbrella header is for users; include what is needed")
        self.refuses("koppel/expr/bad.cpp", '#include "apps/koppel/commands.hpp"\n',
                     "koppel/expr/bad.cpp:1: error: the library includes nothing of apps/")


if __name__ == "__main__":
    unittest.main()
