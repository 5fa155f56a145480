"""Numpy arrays that view the memory of the library, and imports of optional packages."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]


def required(module: str) -> Any:
    """Imports a package that only some functions need."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ModuleNotFoundError(f"the package {module} is not installed: pip install {module}", name=module) from None


class Memory:
    """A part of an object's memory. While a numpy array views the memory, the object stays alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: object, address: int, shape: tuple[int, ...], type: str) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (address, True), "shape": shape, "typestr": type, "version": 3}


def view(owner: object, address: int | None, shape: tuple[int, ...], type: str) -> AnyArray:
    """Returns an array that views the memory of an object of the library."""
    return np.asarray(Memory(owner, address or 0, shape, type))
