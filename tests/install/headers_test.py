"""The installed headers: each compiles alone and needs only installed ones, and the umbrella has them all.

Usage: headers_test.py SOURCE BUILD WORK COMPILER

A source that includes its own header first shows in every build that the header compiles alone. The others are compiled
here, again only when they, something that they include, or the compiler has changed.
"""

import concurrent.futures
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, BUILD, WORK = (pathlib.Path(argument) for argument in sys.argv[1:4])
COMPILER = sys.argv[4]
INCLUDE = WORK / "prefix/include"
OF_OTHERS = {"koppel/live/peer.h"}  # for programs that are not ours: C, and not in the umbrella


def compile_alone(header, *flags):
    # As a line of a source rather than as the main file, where #pragma once means nothing.
    language = "c" if header.endswith(".h") else "c++"
    standard = "c99" if language == "c" else "c++20"
    return subprocess.run([COMPILER, f"-std={standard}", "-Wall", "-Werror", f"-I{INCLUDE}", *flags, "-x", language,
                           "-"], input=f"#include <{header}>\n", capture_output=True, text=True)


def installed():
    return sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.h*"))


def included(header):
    """What a header includes directly, with the bracket or quote before each name."""
    return re.findall(r'^\s*#\s*include\s*([<"][^>"]+)[>"]', (INCLUDE / header).read_text(encoding="utf-8"), re.M)


def comes_first(header):
    """Whether the source beside a header includes it before all others."""
    source = (SOURCE / header).with_suffix(".cpp")
    first = re.search(r'^\s*#\s*include\s*[<"]([^>"]+)', source.read_text(encoding="utf-8"), re.M) \
        if source.is_file() else None
    return first is not None and first[1] == header


def fingerprint(header, compiler, seen):
    """Of the text of a header and all of ours that it includes."""
    todo, texts = [header], {}
    while todo:
        name = todo.pop()
        if name in texts:
            continue
        texts[name] = seen.setdefault(name, (INCLUDE / name).read_bytes())
        todo += [other[1:] for other in included(name) if (INCLUDE / other[1:]).is_file()]
    return hashlib.sha256(b"".join([compiler, *(texts[name] for name in sorted(texts))])).hexdigest()


class Headers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK / "prefix", ignore_errors=True)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", WORK / "prefix", "--component", "headers"], check=True,
                       stdout=subprocess.DEVNULL)

    def test_the_umbrella_includes_every_installed_header(self):
        rule = compile_alone("koppel/koppel.hpp", "-MM").stdout
        found = {word[len(f"{INCLUDE}/"):] for word in rule.replace("\\\n", " ").split()
                 if word.startswith(f"{INCLUDE}/")}
        self.assertEqual(found | OF_OTHERS, set(installed()))

    def test_installed_headers_include_only_installed_ones_and_the_standard_library(self):
        for header in installed():
            for name in included(header):
                with self.subTest(header=header, name=name):
                    self.assertEqual(name[0], "<")
                    if name.startswith("<koppel/"):
                        self.assertTrue((INCLUDE / name[1:]).is_file())
                    elif header not in OF_OTHERS:
                        self.assertNotRegex(name, r"[/.]")

    def test_private_headers_are_not_installed(self):
        for header in installed():
            with self.subTest(header):
                text = re.sub(r"\s*//\s*", " ", (INCLUDE / header).read_text(encoding="utf-8"))
                self.assertNotIn("of this folder only", text)

    def test_each_compiles_alone(self):
        stamps, texts = WORK / "stamps", {}
        stamps.mkdir(parents=True, exist_ok=True)
        compiler = subprocess.run([COMPILER, "--version"], capture_output=True, check=True).stdout

        def check(header):
            stamp = stamps / header.replace("/", "-")
            now = fingerprint(header, compiler, texts)
            if stamp.is_file() and stamp.read_text() == now:
                return None
            done = compile_alone(header, "-fsyntax-only")
            if done.returncode == 0:
                stamp.write_text(now)
                return None
            return f"{header}:\n{done.stderr[:2000]}"

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            errors = [error for error in pool.map(check, [h for h in installed() if not comes_first(h)]) if error]
        self.assertFalse(errors, "\n".join(errors))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
