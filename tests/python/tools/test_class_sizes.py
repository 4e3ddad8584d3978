# SPDX-License-Identifier: Apache-2.0
"""tools/cpp_classes.py counts what a class has, however it is written; tools/check_sizes.py says which has too much."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import check_sizes
import cpp_classes


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def in_class(body: str) -> cpp_classes.Class:
    """The first class of a file in which it has this body."""
    return cpp_classes.read(f"namespace n {{\nclass A {{\n{body}\n}};\n}}\n")[0][0]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("int a_;", ["a_"]),
        ("int a_ = 1, b_{2}, c_[3], *d_ = f(1, 2);", ["a_", "b_", "c_", "d_"]),
        ("std::map<int, std::pair<int, int>> a_;", ["a_"]),
        ("std::function<void(int)> a_ = [this](int x) { f(x); g(); };", ["a_"]),
        ("std::function<void()> a_{[] { int local; }};", ["a_"]),
        ("alignas(64) std::atomic<int> a_{0};", ["a_"]),
        ("alignas(T) std::byte a_[sizeof(T)];", ["a_"]),
        ("[[no_unique_address]] Lock a_;", ["a_"]),
        ("void (*a_)(int) = nullptr; int (&b_)[3]; int (A::*c_)();", ["pointer", "pointer", "pointer"]),
        ("mutable std::mutex a_; const int b_; static int c_; inline static int d_ = 0; thread_local static int e_;", ["a_", "b_", "c_", "d_", "e_"]),
        ("unsigned a_ : 3, b_ : 5;", ["a_", "b_"]),
        ("decltype(f(1)) a_;", ["a_"]),
        ("std::int64_t a_ = 1'000; char b_ = '}'; const char* c_ = \"};\"; // int d_;", ["a_", "b_", "c_"]),
        ("struct stat a_ {};", ["a_"]),
        ("struct Inner { int x; } a_, b_;", ["a_", "b_"]),
        ("enum class mode { one, two } a_;", ["a_"]),
        ("union { int a_; double b_; };", ["a_", "b_"]),
        ("struct { int x; } a_;", ["a_"]),
        ("public: int a_; private: int b_;", ["a_", "b_"]),
        ("#if X\nint a_;\n#else\nint b_;\nint c_;\n#endif\nint d_;", ["a_", "d_"]),
        ("#if X\n#if Y\nint a_;\n#else\nint b_;\n#endif\nint c_;\n#else\n#if Y\nint d_;\n#endif\nint e_;\n#endif", ["a_", "c_"]),
    ],
)
def test_data_members_are_found(body: str, names: list[str]) -> None:
    found = in_class(body)
    assert (found.members, found.functions) == (names, [])


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("void f(); int g() const noexcept { return 1; } virtual void h() = 0;", ["f", "g", "h"]),
        ("A(int x) : a_{x}, b_(x), c_{[] { return 1; }} { g(); } explicit A(B b) : Base<B>{b} {} ~A();", ["A", "A", "~A"]),
        ("bool operator==(const A&) const; void operator()(int); bool operator<(const A&) { return a < b; } A* operator->();", ["operator@"] * 4),
        (
            "std::strong_ordering operator<=>(const A&) const; A& operator=(const B&); int operator[](int); operator bool() const;",
            ["operator@"] * 3 + ["operator bool"],
        ),
        ("template <class T, class U = X<T>> void f(T); template <class T> requires (sizeof(T) > 3) && C<T> void g() {}", ["f", "g"]),
        ("template <class F> requires requires(F f) { f(); } void f(F call) { call(); }", ["f"]),
        (
            "template <class F> void f(F call) requires (sizeof(F) > 3) { call(); } template <class F> void g(F) requires C<F> && requires(F f) { f(); } {}",
            ["f", "g"],
        ),
        ("auto f() -> std::map<int, int>; auto g() -> decltype(h()) { return h(); }", ["f", "g"]),
        ("void f(int a = 1, std::function<void()> b = [] { int c; }) const;", ["f"]),
        ("std::function<void(int)> f(std::array<int, (3 > 2)> a);", ["f"]),
        ("[[nodiscard]] static int f(); [[noreturn]] void g(); friend void h(A) { int x; }", ["f", "g"]),
        ("void f() {\n#ifdef X\nif (a) {\n#else\nif (b) {\n#endif\n}\n}\nvoid g();", ["f", "g"]),
        ("void f(int)\n#define M(x) { x\n;", ["f"]),
    ],
)
def test_functions_are_found(body: str, names: list[str]) -> None:
    found = in_class(body)
    assert (found.members, found.functions) == ([], names)


@pytest.mark.parametrize(
    "body",
    [
        "A() = default; A(const A&) = delete; A& operator=(const A&) = delete; bool operator==(const A&) const = default; ~A() = default;",
        "static constexpr int most = 3; constexpr static double pi{3};",
        "using T = int; typedef int U; typedef struct { int x; } V; using Base::operator=; friend class B;",
        "friend bool operator<(A, A); friend void f(A) {} static_assert(sizeof(int) == 4);",
        "class Later; struct Other; enum class mode : int; enum { one, two }; template <class T> struct Third;",
        'OCTAVO_ERROR(A); R"x(int a;\n int c;)x"; /* int b;\n int d; */ ;',
    ],
)
def test_what_is_neither_does_not_count(body: str) -> None:
    found = in_class(body)
    assert (found.members, found.functions) == ([], [])


def test_each_class_counts_for_itself_wherever_it_is() -> None:
    text = """
    namespace a::b {
    extern "C" { struct C { int x; }; }
    namespace {
    template <class T> requires std::is_same_v<T, int>
    class [[nodiscard]] D final : public Base<T>, private X<decltype(f(1))> {
      struct Inner { int y, z; void f(); };
      class Far;
      enum class mode { one, two };
      Inner inner_;
    };
    }
    template <class T> class D<T>::Far { int far_; };
    struct alignas(64) E : F {};
    void f() { struct stat facts {}; struct Local : F<int> { int l; }; enum class mode { one }; auto g = []<class T>(T t) { return t; }; }
    TEST_F(Suite, Name) { struct InTest { int t; }; }
    struct G* give(int x) { return nullptr; }
    }
    """
    classes, _ = cpp_classes.read(text)
    counts = {each.name: (each.members, each.functions) for each in classes}
    assert counts == {
        "a::b::C": (["x"], []),
        "a::b::D": (["inner_"], []),
        "a::b::D::Inner": (["y", "z"], ["f"]),
        "a::b::D::Far": (["far_"], []),
        "a::b::E": ([], []),
        "a::b::Local": (["l"], []),
        "a::b::InTest": (["t"], []),
    }


def test_functions_defined_elsewhere_name_their_class() -> None:
    text = "namespace a { int B::C::f(int x) const { return x; } template <class T> D<T>::D() : x_{1} {} void g() {} B::~B() {} bool a::B::operator()(int) {} }"
    assert cpp_classes.read(text)[1] == [(["a"], name) for name in ("B::C", "D", "B", "a::B")]


@pytest.mark.parametrize(("text", "line"), [("int a;\nvoid f() {\n", 2), ("\n\n}\n", 3), ("void f(\n};\n", 2)])
def test_an_unmatched_bracket_is_said_and_not_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: int) -> None:
    write(tmp_path, "a.cpp", text)
    assert check_sizes.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"a.cpp:{line}: a bracket without its other half: the classes cannot be measured\n"


def large(root: Path, members: int, functions: int, listed: str = "") -> None:
    """A class whose functions are defined in two more files; and the list of exceptions."""
    half = functions // 2
    declared = "".join(f"  void f{i}();\n" for i in range(functions))
    write(root, "include/a.hpp", f"namespace n {{\nclass A {{\n{declared}" + "".join(f"  int m{i}_;\n" for i in range(members)) + "};\n}\n")
    write(root, "src/b.cpp", "namespace n {\n" + "".join(f"void A::f{i}() {{}}\n" for i in range(half)) + "}\n")
    write(root, "src/c.cpp", "".join(f"void n::A::f{i}() {{}}\n" for i in range(half, functions)))
    write(root, "tools/large_classes.txt", f"# Those that may.\n{listed}")


@pytest.mark.parametrize(
    ("members", "functions", "over"),
    [(26, 2, "26 data members (at most 25)"), (0, 41, "41 functions (at most 40)"), (30, 50, "30 data members (at most 25) and 50 functions (at most 40)")],
)
def test_a_class_that_is_too_large_is_found_with_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], members: int, functions: int, over: str) -> None:
    large(tmp_path, members, functions)
    assert check_sizes.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"include/a.hpp:2: class n::A has {over}; it is in include/a.hpp, src/b.cpp, src/c.cpp\n"


def test_a_class_within_bounds_passes(tmp_path: Path) -> None:
    large(tmp_path, 25, 40)
    assert check_sizes.main([str(tmp_path)]) == 0


LISTED = "n::A: 30 members, 50 functions  # it holds all\n"


@pytest.mark.parametrize(
    ("members", "functions", "listed"),
    [
        (30, 50, LISTED),
        (26, 3, LISTED),
        (3, 41, LISTED),
        (25, 41, "n::A: 3 members, 41 functions  # why\n"),
        (26, 40, "n::A: 26 members, 0 functions  # why\n"),
    ],
)
def test_an_exception_lets_a_class_be_as_large_as_it_says(tmp_path: Path, members: int, functions: int, listed: str) -> None:
    large(tmp_path, members, functions, listed)
    assert check_sizes.main([str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("members", "functions", "listed", "complaint"),
    [
        (31, 50, LISTED, "n::A has 31 data members (at most 30), which is more than tools/large_classes.txt grants it"),
        (30, 51, LISTED, "n::A has 51 functions (at most 50), which is more than tools/large_classes.txt grants it"),
        (30, 41, "n::A: 30 members, 3 functions  # why\n", "n::A has 41 functions (at most 40)"),
        (25, 40, LISTED, "tools/large_classes.txt:2: n::A is within bounds: take its line out"),
        (25, 40, "n::B: 30 members, 50 functions  # gone\n", "tools/large_classes.txt:2: n::B is no class: take its line out"),
        (25, 40, "n::A: 30 members, 50 functions\n", "tools/large_classes.txt:2: not of the form"),
    ],
)
def test_an_exception_is_no_larger_than_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], members: int, functions: int, listed: str, complaint: str
) -> None:
    large(tmp_path, members, functions, listed)
    assert check_sizes.main([str(tmp_path)]) == 1
    assert complaint in capsys.readouterr().out
