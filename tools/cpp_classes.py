# SPDX-License-Identifier: Apache-2.0
"""The classes of a C++ file, with their data members and functions, read without a compiler.

classes, defined = read(text)     # raises Unmatched where brackets do not match

It reads brackets and statements, knows no types, and of an #if with an #else the first side. (ctags 5.9, that of Debian 12, misses members that have an
alignas and functions after them; a compiler would take minutes.)
"""

import re
from dataclasses import dataclass, field

# Comments, raw strings, strings and characters, none of whose brackets count. A digit separator (1'000) is no character.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
PREPROCESSOR = re.compile(r"^[ \t]*#[ \t]*(\w*)(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
# What a statement is cut at. The name of an operator is a token of its own, since it looks like brackets.
TOKEN = re.compile(r"\boperator\s*(?:\(\s*\)|\[\s*\]|[-+*/%^&|~!=<>,]+)|[(\[{;]")
OPENING = re.compile(r"\s*[(\[]")
POINTER = re.compile(r"\(\s*(?:\w+\s*::\s*)*[*&]")  # as in void (*name)(int)
ARGUMENTS = re.compile(r"(?<=\w)\s*<[^<>]*>")

CAPITALS = r"[A-Z][A-Z0-9]*_[A-Z0-9_]+"  # a macro; without a _ it might be a class
ACCESS = re.compile(r"\s*(?:(?:public|private|protected)\s*:(?!:)\s*)*")
MACRO = re.compile(rf"(?:{CAPITALS} ?\(\) ?)+(?=\w)")  # before something else, without a semicolon
ATOM = r"!? ?(?:requires ?(?:\(\) ?)?\{\}|\(\)|[\w:]+)"
CONSTRAINT = re.compile(rf"(?:template )+(?:requires ?{ATOM}(?: ?(?:&&|\|\|) ?{ATOM})*)? ?")
BEFORE = r"(?:(?:inline|static|const|constexpr|typedef) )*"
TYPE = re.compile(rf"{BEFORE}(class|struct|union|enum)(?: class)?(?: {CAPITALS}(?= \w))?(?: (\w+(?:::\w+)*))?(?: final)?(?: ?:(?!:).*)?")
NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*)")
FORWARD = rf"(?:class|struct|union|enum|enum class)(?: {CAPITALS})? [\w:]+(?: : [\w:]+)?$"
NO_MEMBER = re.compile(rf"(?:using|typedef|friend|static_assert)\b|{FORWARD}|{CAPITALS} ?\(\)$")
INITIALIZER = re.compile(r"\(\)[^()?]*(?<!:):(?!:).*\w$")  # of a member, in a constructor
EXPRESSION = re.compile(r"(?:\brequires|&&|\|\||!)\s*requires\s*(?:\(\))?\s*$")  # before the braces of a constraint
NAME = re.compile(r"((?:\w+ ?:: ?)*)(~?\w+|operator[^()]*) ?\(\)")
LOCAL = re.compile(r"(?<!enum )\b(?:class|struct|union)\b[^;(){}=]*\{")


class Unmatched(ValueError):
    """Its one argument: the line where an unmatched bracket is."""


@dataclass
class Class:
    name: str  # with its namespaces and classes; that of a specialization has no arguments
    line: int
    members: list[str] = field(default_factory=list)  # but for static constexpr ones, which are constants
    functions: list[str] = field(default_factory=list)  # but for defaulted and deleted ones


def spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def blank(text: str) -> str:
    """The text with all that is not code replaced by spaces; lines stay where they are."""
    return NOT_CODE.sub(lambda match: spaces(match[0]), text)


def code_of(text: str) -> str:
    """As blank, and without the preprocessor's lines and what is between an #else and its #endif."""
    code, depth, kept, left_out = blank(text), 0, [], 0  # left_out: how deep the #if is whose second side this is; 0: none
    begun = 0
    for match in PREPROCESSOR.finditer(code):
        between = code[begun : match.start()]
        kept += [spaces(between) if left_out else between, spaces(match[0])]
        begun = match.end()
        if match[1].startswith("if"):
            depth += 1
        elif match[1].startswith("el"):
            left_out = left_out or depth
        elif match[1] == "endif":
            left_out = 0 if left_out == depth else left_out
            depth -= 1
    return "".join(kept) + code[begun:]


def bare(statement: str) -> str:
    """What decides what a statement is: no template arguments, attributes and constraints, and one space where there is any."""
    text = ACCESS.sub("", statement, count=1)
    while (shorter := ARGUMENTS.sub("", text)) != text:
        text = shorter
    text = re.sub(r"\bdecltype\s*\(\)", "decltype", text)
    text = " ".join(re.sub(r"\[\]|\balignas\s*\(\)", " ", text).split())
    for prefix in (MACRO, CONSTRAINT):
        if match := prefix.match(text):
            text = text[match.end() :]
    return text


def is_function(head: str) -> bool:
    return "()" in head.partition("=")[0]


class Reader:
    def __init__(self, text: str) -> None:
        self.code = code_of(text)
        self.classes: list[Class] = []
        self.defined: list[tuple[list[str], str]] = []  # where functions of a class are defined outside it: the scope, and the class as named there
        self.ends: dict[int, int] = {}
        opened: list[int] = []
        for match in re.finditer(r"[()\[\]{}]", self.code):
            if match[0] in "([{":
                opened.append(match.start())
            elif opened and self.code[opened[-1]] + match[0] in ("()", "[]", "{}"):
                self.ends[opened.pop()] = match.start()
            else:
                raise Unmatched(self.line(match.start()))
        if opened:
            raise Unmatched(self.line(opened[-1]))
        self.scope(0, len(self.code), [], None)

    def line(self, position: int) -> int:
        return self.code.count("\n", 0, position) + 1

    def scope(self, start: int, stop: int, path: list[str], inside: Class | None) -> None:
        while start < stop:
            start = self.statement(start, stop, path, inside)

    def statement(self, at: int, stop: int, path: list[str], inside: Class | None) -> int:
        """Reads one, and returns where the next begins. `text`: the statement, with what is in brackets left out."""
        text = ""
        while match := TOKEN.search(self.code, at, stop):
            text += self.code[at : match.start()]
            at = match.end()
            if match[0] == ";":
                if inside:
                    self.declare(bare(text), inside)
                return at
            if len(match[0]) > 1:
                text += "operator@"
                continue
            end = self.ends[match.start()]
            if match[0] != "{":
                after = OPENING.match(self.code, end + 1)
                if after and POINTER.match(self.code, match.start()):
                    text, end = text + " pointer", self.ends[after.end() - 1]
                else:
                    text += "()" if match[0] == "(" else "[]"
            elif (head := bare(text)) == "extern":
                self.scope(at, end, path, None)
                return end + 1
            elif space := NAMESPACE.fullmatch(head):
                self.scope(at, end, [*path, *filter(None, space[1].split("::"))], None)
                return end + 1
            elif not is_function(head) and (heading := TYPE.fullmatch(head)):
                if heading[1] != "enum":
                    self.body(match.start(), heading[2] or "", path, inside)
                text = "typedef" if head.startswith("typedef") else ""  # and then variables, or nothing
            elif is_function(head) and not INITIALIZER.search(head) and not EXPRESSION.search(text):
                self.define(head, path, inside)
                self.locals(at, end, path)
                return end + 1
            else:
                text += "{}"
            at = end + 1
        return stop

    def body(self, start: int, name: str, path: list[str], inside: Class | None) -> None:
        """Reads a class from its opening brace."""
        end = self.ends[start]
        if not name and inside and self.code[end + 1 :].lstrip().startswith(";"):  # of an anonymous union, all is in the class around it
            self.scope(start + 1, end, path, inside)
            return
        own = [*path, *(name or "(anonymous)").split("::")]
        found = Class("::".join(own), self.line(start))
        self.classes.append(found)
        self.scope(start + 1, end, own, found)

    def locals(self, start: int, stop: int, path: list[str]) -> None:
        """The classes in a function."""
        while match := LOCAL.search(self.code, start, stop):
            start = match.end()
            if heading := TYPE.fullmatch(bare(match[0][:-1])):
                self.body(start - 1, heading[2] or "", path, None)
                start = self.ends[start - 1]

    def define(self, head: str, path: list[str], inside: Class | None) -> None:
        if inside:
            self.declare(head, inside)
        elif (match := NAME.search(head)) and match[1]:
            self.defined.append((path, match[1].replace(" ", "").removesuffix("::")))

    @staticmethod
    def declare(head: str, inside: Class) -> None:
        if not head or NO_MEMBER.match(head):
            return
        if is_function(head):
            if not re.search(r"= ?(?:default|delete)$", head):
                match = NAME.search(head)
                inside.functions.append(match[2] if match else head)
        elif not {"static", "constexpr"} <= set(head.split(" ")):
            for variable in head.split(","):
                words = re.sub(r"(?:=|\{|(?<!:):(?!:)).*", "", variable).split()
                inside.members.append(words[-1].lstrip("*&") if words else "")


def read(text: str) -> tuple[list[Class], list[tuple[list[str], str]]]:
    reader = Reader(text)
    return reader.classes, reader.defined
