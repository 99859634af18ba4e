"""Data files of measured results notice any change by hand, and the check of the validation any other result of the program."""

import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
sys.dont_write_bytecode = True
import measured  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("validation", str(TOOLS / "validation"))
validation = importlib.util.module_from_spec(importlib.util.spec_from_loader("validation", LOADER))
LOADER.exec_module(validation)


def cells(sections):
    for section in sections:
        for table in section["tables"]:
            for row in table["rows"]:
                for i, cell in enumerate(row):
                    if any(c.isdigit() for c in cell):
                        yield row, i


def other(text):
    """Another digit in the place of the last one."""
    at = max(i for i, c in enumerate(text) if c.isdigit())
    return text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:]


class DataFiles(unittest.TestCase):
    def test_notice_any_number_that_is_changed(self):
        for name in ("validation", "performance"):
            sections, is_whole = measured.read(name)
            self.assertTrue(is_whole)
            before = measured.sum_of(sections)
            places = list(cells(sections))
            for row, i in places[::max(1, len(places) // 50)]:
                kept = row[i]
                row[i] = other(kept)
                self.assertNotEqual(measured.sum_of(sections), before, kept)
                row[i] = kept

    def test_are_read_as_they_were_written(self):
        sections, _ = measured.read("validation")
        text = "".join(f"## {s['title']}\n\n{s['about']}\n\n" + "".join(f"### {t['title']}\n\n{t.get('about', '')}\n\n{measured.table_text(t)}\n\n"
                                                                     for t in s["tables"]) for s in sections if all("title" in t for t in s["tables"]))
        for section in measured.sections_of(text):
            stored = next(s for s in sections if s["title"] == section["title"])
            self.assertEqual([table["rows"] for table in section["tables"]], [table["rows"] for table in stored["tables"]])


class Check(unittest.TestCase):
    def setUp(self):
        self.sections, _ = measured.read("validation")
        stored = validation.stored_rows(self.sections)
        self.now = copy.deepcopy({settings: row for (_, settings), row in stored.items()})
        self.kept, validation.row_of = validation.row_of, lambda koppel, mechanism, settings, published: self.now[settings]

    def tearDown(self):
        validation.row_of = self.kept

    def wrong(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            return validation.check_runs(None, self.sections, "", None), out.getvalue()

    def test_passes_where_the_results_are_those_of_the_data_file(self):
        self.assertEqual(self.wrong()[0], 0)

    def test_fails_where_the_program_takes_another_step(self):
        settings = ("four_bar", "natural, index3, taylor", "1e-8")
        self.now[settings][-1] = str(int(self.now[settings][-1]) + 1)
        count, text = self.wrong()
        self.assertEqual(count, 1)
        self.assertIn("koppel run four_bar --coordinates natural --formulation index3 --integrator taylor --tol 1e-8\n  steps: ", text)

    def test_fails_where_a_digit_differs(self):
        settings = ("slider_crank", "natural, index3, taylor", "1e-8")
        digits = validation.COLUMNS.index("digits")
        self.now[settings][digits] = other(self.now[settings][digits])
        self.assertEqual(self.wrong()[0], 1)

    def test_closed_form_of_the_four_bar_is_the_reference_trajectory(self):
        closed, stored = validation.four_bar(2), validation.columns_of(measured.ROOT / "tests/reference/four_bar.csv")
        for name, size in (("xB0", 1), ("yB0", 1), ("vxB0", 4), ("vyB0", 4)):
            for a, b in zip(closed[name], stored[name]):
                self.assertLess(abs(a - b), 1e-13 * size)  # the angle passes 30 rad in double precision


if __name__ == "__main__":
    unittest.main()
