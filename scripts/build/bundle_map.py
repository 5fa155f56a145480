"""Bundles the map of the server for the tool, with the modules of the web package that the map imports and the modules
that read published indexes. For the Python package it also bundles the modules for notebooks.

    bundle_map.py OUTPUT             # writes the map into a folder
    bundle_map.py --widget OUTPUT    # writes the map and widget.js

The map is the same in both folders, so that the tool and the package write equal pages: library.js, map.js,
assets.json.gz, and the templates in `Sources/TreelineCommand/Resources/map`.

Each module becomes the body of a function, and its exports become an object, so that equal names in two modules do not
collide. The bundler handles only what our modules use: imports of names, and exports of names in their declarations.
All other imports and exports are errors.
"""

import gzip
import hashlib
import json
import pathlib
import posixpath
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIEWER = ROOT / "Sources/TreelineServer/Resources/viewer"
NOTEBOOK = ROOT / "Sources/TreelinePython/map"
TEMPLATES = ROOT / "Sources/TreelineCommand/Resources/map"
PACKAGE = ROOT / "Sources/TreelineWeb/src"
#: Where modules of the server's map find the package.
PACKAGE_PREFIX = "vendor/treeline/"

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./-]+)";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) )", re.M)
DECLARED = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+|\{[^}]*\}|\[[^\]]*\])", re.M)


def main():
    *options, folder = sys.argv[1:]
    output = pathlib.Path(folder)
    output.mkdir(parents=True, exist_ok=True)
    assets, library = packed_assets(), library_text()
    load, site = (bare((NOTEBOOK / name).read_text()) for name in ("load.js", "load-site.js"))
    write(output / "library.js", library.encode())
    write(output / "assets.json.gz", assets)
    write(output / "map.js", f"{bundled(['site.js'])}{load}{site}".encode())
    for name in ("page.html", "site.html", "map.css"):
        if output.resolve() != TEMPLATES:
            shutil.copyfile(TEMPLATES / name, output / name)
    if options == ["--widget"]:
        modules, widget = bundled(["widget.js"]), bare((NOTEBOOK / "load-widget.js").read_text())
        version = hashlib.sha256(assets + library.encode() + modules.encode()).hexdigest()[:16]
        write(output / "widget.js", f'const VERSION = "{version}";\n{modules}{load}{widget}'.encode())


def write(path, content):
    """Writes a file unless it has this content already. So tests that read the file are not disturbed."""
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def bundled(entries):
    """Returns the text of a function. The function takes the map library and the packed assets, and returns the
    modules."""
    done = {}
    for entry in entries:
        collect(entry, done, [])
    bodies = "".join(f"modules[{json.dumps(name)}] = (() => {{\n{body}}})();\n" for name, body in done.items())
    return f"const bundle = (maplibregl, held) => {{\nconst modules = {{}};\n{bodies}return modules;\n}};\n"


def collect(name, done, path):
    """Adds a module after the modules that it imports."""
    if name in done:
        return
    if name in path:
        raise SystemExit(f"bundle: expected no circle of imports, found {' > '.join([*path, name])}")
    text = source_of(name)
    for _, imported in IMPORT.findall(text):
        collect(beside(name, imported), done, [*path, name])
    done[name] = body_of(name, text)


def beside(name, imported):
    """Returns the name of a module that another module imports by a relative path."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))


def source_of(name):
    if name == "markup.js":
        styles = "\n".join(bare((VIEWER / name).read_text()) for name in ("vendor/maplibre-gl.css", "viewer.css"))
        return f"export const markup = {json.dumps(markup())};\nexport const styles = {json.dumps(styles)};\n"
    if name.startswith(PACKAGE_PREFIX):
        return bare((PACKAGE / name.removeprefix(PACKAGE_PREFIX)).read_text())
    # A module in the notebook's folder replaces the server's module of the same name.
    folder = NOTEBOOK if (NOTEBOOK / name).exists() else VIEWER
    return bare((folder / name).read_text())


def markup():
    """Returns the content of the page's body."""
    return re.search(r"<body>(.*)</body>", (VIEWER / "index.html").read_text(), re.S)[1]


def body_of(name, text):
    names = [name.strip("[]{} ") for name in DECLARED.findall(text)]
    text = IMPORT.sub(
        lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = modules[{json.dumps(beside(name, found[2]))}];\n", text
    )
    text = EXPORT.sub("", text)
    odd = re.search(r"^(import|export)\b.*", text, re.M) or re.search(r"\bimport\.meta.*", text)
    if odd:
        raise SystemExit(f"bundle: {name}: expected only imports and exports of names, found '{odd[0]}'")
    return f"{text}return {{ {', '.join(names)} }};\n"


def bare(text):
    """Returns the text without the comments that fill whole lines."""
    return re.sub(r"^[ \t]*(//.*|/\*(?:(?!\*/)(?s:.))*\*/[ \t]*)\n", "", text, flags=re.M)


def library_text():
    return re.sub(r"^//# sourceMappingURL=.*$", "", (VIEWER / "vendor/maplibre-gl.js").read_text(), flags=re.M)


def packed_assets():
    """Returns the files that the map needs in addition to its modules, by name."""
    files = {
        name: json.loads(gzip.decompress((VIEWER / f"{name}.gz").read_bytes()))
        for name in ("world.geojson", "places.geojson")
    }
    text = json.dumps(files, ensure_ascii=False, separators=(",", ":")).encode()
    return gzip.compress(text, 9, mtime=0)


if __name__ == "__main__":
    main()
