"""Comments of headers as Doxygen reads them: docs/site/cpp_comments.py."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/site"))
from cpp_comments import convert  # noqa: E402


class Comments(unittest.TestCase):
    def check(self, text, expected):
        self.assertEqual(convert(text), expected)

    def test_a_block_above_a_declaration_documents_it(self):
        self.check("// Of the file.\n#pragma once\n\n// A rod.\nstruct Rod {\n};\n", "\n#pragma once\n\n/// A rod.\nstruct Rod {\n};\n")

    def test_a_comment_behind_a_member_documents_it(self):
        self.check("struct Rod {\n  double mass = 0;  // in kg\n};\n", "struct Rod {\n  double mass = 0; ///< in kg\n};\n")

    def test_a_comment_behind_the_first_line_of_a_declaration_goes_above_it(self):
        self.check("int f(int a)  // of a\n    const;\n", "/// of a\nint f(int a)\n    const;\n")

    def test_formulas_keep_their_form_and_nothing_is_a_command(self):
        self.check("struct S;\n// With a < b & \\x:\n//   q' = K v\n// and `M<N>`.\nvoid f();\n",
                   "struct S;\n/// With a \\< b \\& \\\\x:\n/// \\verbatim\n///   q' = K v\n/// \\endverbatim\n"
                   "/// and <code>M\\<N\\></code>.\nvoid f();\n")

    def test_comments_in_bodies_and_notes_to_tools_are_dropped(self):
        self.check("struct S;\nint f() {\n  // Twice.\n  return 2;  // two\n}\noperator int();  // NOLINT\n",
                   "struct S;\nint f() {\n\n  return 2;\n}\noperator int();\n")

    def test_a_comment_apart_from_declarations_documents_nothing(self):
        self.check("struct S;\n// Functions.\n\nvoid f();\n", "struct S;\n\n\nvoid f();\n")

    def test_slashes_in_quotes_are_no_comment(self):
        self.check('struct S;\nconst char* p = "http://x";\n', 'struct S;\nconst char* p = "http://x";\n')


if __name__ == "__main__":
    unittest.main()
