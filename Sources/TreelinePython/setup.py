"""The wheel contains a library for one platform, and an extension for all Python versions from 3.10 on."""

import numpy
from setuptools import Extension, setup

native = Extension(
    "treelinemap._native",
    ["native.c"],
    # In the sources of a wheel, the headers of the library are in the same folder.
    include_dirs=[numpy.get_include(), ".", "../CTreeline"],
    depends=["../CTreeline/treeline.h", "../CTreeline/treeline_pieces.h"],
    extra_compile_args=["-Wall", "-Wextra", "-Werror", "-g0"],
    py_limited_api=True,
)

setup(ext_modules=[native], options={"bdist_wheel": {"py_limited_api": "cp310"}})
