"""Tests the package as a whole: its imports, its library, and the declarations that the package and the library
share."""

import ast
import ctypes
import importlib
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import treelinemap
from conftest import ROOT
from treelinemap import _errors, _library

PACKAGE = pathlib.Path(treelinemap.__file__).parent
HEADERS = [ROOT / "Sources/CTreeline" / name for name in ("treeline.h", "treeline_pieces.h")]


# MARK: Imports


def imports(source, names):
    """Returns the modules of the package that a module imports, including imports within functions. Imports that only
    serve type checks are left out."""
    found, module = set(), ast.parse(source)
    for node in ast.walk(module):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found.update([node.module] if node.module else (each.name for each in node.names if each.name in names))
    return found


def circle(graph):
    """Returns the modules of a circular import; None if there is no circle."""
    done = set()

    def visit(name, path):
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        found = next(filter(None, (visit(other, [*path, name]) for other in sorted(graph[name]))), None)
        done.add(name)
        return found

    return next(filter(None, (visit(name, []) for name in sorted(graph))), None)


def test_imports_go_in_no_circle():
    names = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"} | {"_native"}
    graph = {name: imports((PACKAGE / f"{name}.py").read_text(), names) for name in names - {"_native"}}
    graph["_native"] = set()
    assert len(graph) > 20 and "_library" in graph["_tree"] and "widget" in graph["_tree"]
    assert circle(graph) is None
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


# MARK: What C declares

#: Python types that may represent a C type. `c_char_p` accepts bytes where C expects a pointer to them.
TYPES = {
    "double": {ctypes.c_double},
    "size_t": {ctypes.c_size_t},
    "ptrdiff_t": {ctypes.c_ssize_t},
    "int64_t": {ctypes.c_int64},
    "uint64_t": {ctypes.c_uint64},
    "uint32_t": {ctypes.c_uint32},
    "bool": {ctypes.c_bool},
    "treeline_points": {_library.Points},
    "const char *": {ctypes.c_char_p, ctypes.c_void_p},
    "const void *": {ctypes.c_void_p, ctypes.c_char_p},
}


def header():
    text = "\n".join(path.read_text() for path in HEADERS)
    return re.sub(r"//.*", "", text)


def structs():
    """Returns the fields of each struct: the name of each field, and its type."""
    found = {}
    for name, body in re.findall(r"typedef struct (treeline_\w+) \{(.*?)\} \1;", header(), re.DOTALL):
        fields = found[name] = []
        for line in filter(None, map(str.strip, body.split(";"))):
            if callback := re.match(r"void \(\*(\w+)\)\((.*)\)$", line, re.DOTALL):
                fields.append((callback[1], "callback"))
                continue
            first, *others = (part.strip() for part in line.split(","))
            type, _, name = re.match(r"(.*?)((?:\* ?)?)(\w+)$", first).groups()
            for each in (first[len(type) :], *others):
                stars = each.count("*")
                fields.append((each.strip("* "), (type.strip() + " *" * stars).strip()))
    return found


def functions():
    """Returns the result type and the parameters of each function."""
    found = re.findall(r"^((?:const )?\w+ \*?)(treeline_\w+)\((.*?)\);", header(), re.DOTALL | re.MULTILINE)
    split = lambda text: [] if text.strip() == "void" else [" ".join(part.split()) for part in text.split(",")]
    return {name: (result.strip(), split(parameters)) for result, name, parameters in found}


MIRRORS = {
    "treeline_points": "Points",
    "treeline_column": "Column",
    "treeline_monitor": "Monitor",
    "treeline_description": "Description",
    "treeline_facts": "Facts",
    "treeline_array": "Array",
    "treeline_edit": "Edit",
}


def mirror(name):
    if name == "treeline_extent_facts":
        return importlib.import_module("treelinemap._steps").ExtentFacts
    return getattr(_library, MIRRORS[name])


@pytest.mark.parametrize("name", [*MIRRORS, "treeline_extent_facts"])
def test_structs_are_those_of_the_header(name):
    declared = structs()[name]
    fields = mirror(name)._fields_
    assert [field for field, _ in fields] == [field for field, _ in declared]
    for (field, type), (_, in_c) in zip(fields, declared):
        if in_c == "callback":
            assert type is _library.Progress
        elif in_c in ("treeline_value_type",):
            assert type is ctypes.c_int, field
        else:
            # Python passes a pointer to numbers or to an object as an address.
            assert type in TYPES.get(in_c, {ctypes.c_void_p} if in_c.endswith("*") else ()), (field, in_c)


def test_arrays_in_blocks_are_those_of_the_header():
    from treelinemap import _answer

    count, *extents = structs()["treeline_extents_arrays"]
    assert count == ("count", "size_t") and [name for name, _ in extents] == list(_answer._EXTENTS)
    assert {type for _, type in extents} == {"const double *"}
    assert ctypes.sizeof(_library.ExtentsArrays) == 8 * (1 + len(extents))


def test_the_compiler_agrees_on_the_layout(tmp_path):
    if not shutil.which("gcc"):
        pytest.skip("there is no gcc")
    names = [*MIRRORS, "treeline_extent_facts", "treeline_extents_arrays"]
    lines = []
    for name in names:
        fields = structs()[name]
        offsets = ", ".join(f"offsetof({name}, {field})" for field, _ in fields)
        lines.append(
            f"size_t {name}_[] = {{sizeof({name}), {offsets}}}; for (size_t i = 0; i < {len(fields) + 1}; i++) "
            f'printf("%zu ", {name}_[i]); printf("\\n");'
        )
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "treeline.h"\nint main(void) {' + "\n".join(lines) + "}"
    )
    subprocess.run(["gcc", "-I", HEADERS[0].parent, tmp_path / "main.c", "-o", tmp_path / "main"], check=True)
    output = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.splitlines()
    for name, line in zip(names, output, strict=True):
        mine = _library.ExtentsArrays if name == "treeline_extents_arrays" else mirror(name)
        size, *offsets = map(int, line.split())
        assert ctypes.sizeof(mine) == size
        assert [getattr(mine, field).offset for field, _ in mine._fields_] == offsets[: len(mine._fields_)]


def test_functions_are_those_of_the_header():
    declared = functions()
    assert len(declared) > 90
    steps = importlib.import_module("treelinemap._steps")
    mine = {
        value.__name__: value
        for module in (_library, steps)
        for value in vars(module).values()
        if getattr(value, "__name__", "").startswith("treeline_") and hasattr(value, "argtypes")
    }
    # The extension calls these functions in every frame. It uses the declarations in the header itself.
    native = {"treeline_clusters_in_box", "treeline_answer_arrays", "treeline_answer_free", "treeline_answer_count"}
    assert set(declared) - set(mine) == native and set(mine) <= set(declared)
    for name, function in mine.items():
        result, parameters = declared[name]
        assert len(function.argtypes) == len(parameters), name
        for type, parameter in zip(function.argtypes, parameters):
            check_parameter(type, parameter, name)
        if result == "void":
            assert function.restype is None
        elif result.endswith("*"):
            assert function.restype in (ctypes.c_void_p, ctypes.c_char_p), name
        else:
            assert function.restype in TYPES.get(result, {ctypes.c_int}), name


def check_parameter(type, parameter, name):
    in_c = re.match(r"(.*?)\w+$", parameter)[1].strip()
    own = re.match(r"(?:const )?(treeline_\w+) \*$", in_c)
    if own and own[1] in MIRRORS or own and own[1] == "treeline_extent_facts":
        expected = {ctypes.POINTER(mirror(own[1]))}
    elif own and own[1] == "treeline_extents_arrays":
        expected = {ctypes.POINTER(_library.ExtentsArrays)}
    elif in_c == "treeline_error **":
        expected = {ctypes.POINTER(ctypes.c_void_p)}
    elif in_c in ("double *", "int64_t *", "size_t *"):
        (number,) = TYPES[in_c[:-2]]
        expected = {ctypes.POINTER(number)}
    else:
        expected = TYPES.get(in_c, {ctypes.c_void_p} if in_c.endswith("*") else ())
    assert type in expected, (name, parameter, type)


def constants(kind):
    body = re.search(rf"typedef enum treeline_{kind} \{{(.*?)\}}", header(), re.DOTALL)[1]
    return {name: int(number) for name, number in re.findall(r"TREELINE_(\w+) = (\d+)", body)}


def test_numbers_of_types_and_errors_are_those_of_the_header():
    for name, number in constants("value_type").items():
        assert getattr(_library, name) == number
    errors = {number: name.removeprefix("ERROR_").lower() for name, number in constants("error_kind").items()}
    assert errors.keys() == _errors.BY_KIND.keys()
    for number, name in errors.items():
        own = {"index": "indexfile"}.get(name, name)
        assert _errors.BY_KIND[number].__name__ == f"{own.title().replace('Indexfile', 'IndexFile')}Error"


# MARK: The library


def run(folder, library=None):
    environment = {"PYTHONPATH": str(folder), "PATH": ""}
    if library is not None:
        environment["TREELINE_LIBRARY"] = str(library)
    command = [sys.executable, "-B", "-c", "import treelinemap"]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert finished.returncode == 1 and "During handling" not in finished.stderr
    return finished.stderr.splitlines()[-1]


@pytest.fixture
def package(tmp_path):
    """Returns a copy of the package without its library."""
    ignored = shutil.ignore_patterns("libTreelineC.so", "map", "__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "treelinemap", ignore=ignored)
    return tmp_path


REMEDY = "install the wheel that scripts/build/wheel builds, or set TREELINE_LIBRARY to the path of a library"


def test_a_library_that_is_missing_is_told(package):
    path = package / "treelinemap/libTreelineC.so"
    expected = (
        f"ImportError: treelinemap needs its library, {path}, which cannot be loaded: there is no such file; {REMEDY}"
    )
    assert run(package) == expected
    assert run(package, "/nowhere.so").startswith("ImportError: treelinemap needs its library, /nowhere.so, which")
    path.write_text("no library")
    assert re.fullmatch(
        f"ImportError: .* cannot be loaded: .*(invalid ELF header|file too short); {REMEDY}", run(package)
    )


def test_a_library_of_another_release_is_told(package):
    if not shutil.which("gcc"):
        pytest.skip("there is no gcc")
    (package / "other.c").write_text('const char *treeline_version(void) { return "0.1.0"; }')
    subprocess.run(["gcc", "-shared", "-o", package / "other.so", package / "other.c"], check=True)
    found = run(package, package / "other.so")
    assert f"other.so: expected the library of treelinemap {treelinemap.__version__}, found a library without treeline_" in found
    assert found.endswith(REMEDY)


def test_an_extension_that_is_missing_is_told(package):
    for path in (package / "treelinemap").glob("_native*.so"):
        path.unlink()
    found = run(package)
    assert found == (
        "ImportError: treelinemap needs its extension _native, which cannot be loaded: there is no file _native.abi3.so "
        f"in {package / 'treelinemap'}; install the wheel that scripts/build/wheel builds, or run "
        "scripts/build/python-native in the sources"
    )


def test_an_extension_that_cannot_be_loaded_is_told(package):
    for path in (package / "treelinemap").glob("_native*.so"):
        path.write_text("no library")
    assert re.search(
        r"_native, which cannot be loaded: .*(invalid ELF header|file too short); install the wheel", run(package)
    )
