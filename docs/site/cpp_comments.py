"""cpp_comments.py HEADER: the header with its comments as Doxygen reads them, on standard output (INPUT_FILTER).

Headers are commented in plain //. A block above a declaration becomes ///, a comment behind one ///<. What stands at the
head of a file is left to the page, comments in bodies and notes to tools are dropped. Lines that are indented by two
blanks or more (formulas, examples) keep their form.
"""

import re
import sys

NOTES = re.compile(r"^(NOLINT\S*|clang-format.*|namespace.*)(: |$)?")
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def escaped(text):
    """A line of prose: nothing in it is a command, `code` is set as code."""
    out = []
    for i, part in enumerate(re.split(r"`([^`]*)`", text)):
        part = re.sub(r"([\\@&<>#%$\"])", r"\\\1", part)
        out.append(f"<code>{part}</code>" if i % 2 else part)
    return "".join(out)


def documented(lines, begin):
    """The lines of a comment, without its slashes, as lines that Doxygen reads."""
    out, is_formula = [], False
    for line in lines:
        indented = line.startswith("  ") and line.strip()
        if bool(indented) != is_formula and line.strip():
            out.append("\\endverbatim" if is_formula else "\\verbatim")
            is_formula = not is_formula
        out.append(line if is_formula else escaped(line.strip()))
    if is_formula:
        out.append("\\endverbatim")
    return [f"{begin} {line}".rstrip() for line in out]


def code_of(line):
    """(code, comment) of a line; a // within quotes is no comment."""
    quoted = re.sub(r'"(?:[^"\\]|\\.)*"', lambda match: "_" * len(match[0]), line)
    place = quoted.find("//")
    return (line, None) if place < 0 else (line[:place], line[place + 2:])


def convert(text):
    lines = text.splitlines()
    head = 0
    while head < len(lines) and lines[head].startswith("//"):
        head += 1
    out, block, scopes, statement = [""] * head, [], [], ""
    for line in lines[head:]:
        code, comment = code_of(line)
        if comment is not None:
            comment = comment[1:] if comment.startswith(" ") else comment
            if (note := NOTES.match(comment)) is not None:
                comment = comment[note.end():] or None
        in_body = "body" in scopes
        if comment is not None and not code.strip() and not in_body:
            block.append((len(code), comment))
            continue
        if block:
            if code.strip():  # directly above a declaration; otherwise it is about what follows in general
                out += [" " * block[0][0] + text for text in documented([c for _, c in block], "///")]
            else:
                out += [""] * len(block)
            block = []
        behind = f" ///< {escaped(comment.strip())}" if comment and not in_body and code.strip(" {}();") else ""
        # What each brace opens: a scope of declarations, or a body (also an initialiser).
        for piece in re.findall(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|[{};]|[^{};"\']+|.', code):
            if piece == "{":
                is_scope = SCOPE.search(statement) and "(" not in statement and "=" not in statement.replace("==", "")
                scopes.append("scope" if is_scope else "body")
                statement = ""
            elif piece == "}":
                if scopes:
                    scopes.pop()
                statement = ""
            elif piece == ";":
                statement = ""
            elif not piece.startswith("#"):
                statement += piece
        if code.lstrip().startswith("#"):
            statement = ""
        # A comment behind the first of two lines of a declaration would cut it: it is put above.
        is_whole = re.search(r"[;,}]\s*$", code)
        if behind and is_whole:
            out.append(code.rstrip() + behind)
        elif behind:
            out += [re.match(r"\s*", code)[0] + behind.strip().replace("///<", "///", 1), code.rstrip()]
        else:
            out.append(code.rstrip())
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write(convert(open(sys.argv[1], encoding="utf-8").read()))
