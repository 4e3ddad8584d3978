# SPDX-License-Identifier: Apache-2.0
"""What cannot be done with names is refused, says why, and leaves no name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import octavo
import pytest
from named_kit import PAGE, SHAPE, VALUES, all_of, make

NAME = "ov://home/turbulence"


def made(**changed: Any) -> octavo.Array:
    given = {"shape": SHAPE, "page": PAGE, "dtype": "complex128", "files": ["pages"], **changed}
    return octavo.named(NAME).make_array(**given)


def test_a_name_that_is_taken() -> None:
    make(NAME)
    with pytest.raises(octavo.Refused, match="is taken"):
        make(NAME)
    assert np.array_equal(all_of(NAME), VALUES)


@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        ({"page": (4, 4)}, octavo.UsageError, "one extent for each of the 3 axes"),
        ({"page": None}, octavo.UsageError, "or the path alone"),
        ({"dtype": "float16"}, octavo.NotSupported, "float16"),
        ({"files": []}, octavo.UsageError, "no device"),
        ({"files": "pages"}, octavo.UsageError, "Give a list of paths"),
        ({"files": [("pages", 5)]}, octavo.UsageError, r"page file \('pages', 5\). Give its path, or"),
        ({"files": [("pages", "box", "more")]}, octavo.UsageError, "Give its path, or"),
        ({"files": [5]}, octavo.UsageError, "the path of a page file is of type int"),
        ({"map": "by rows"}, octavo.UsageError, "the map 'by rows'. It is circulant, block_cyclic, or"),
        ({"map": 7}, octavo.UsageError, r"a map of shape \(\) for a grid of \(3, 3, 3\) pages"),
        ({"map": np.zeros((3, 3, 2), int)}, octavo.UsageError, r"Give one of shape \(3, 3, 3, 2\)"),
        ({"map": np.zeros((3, 3, 3, 2))}, octavo.UsageError, "a map of float64. Give a name"),
        ({"map": np.zeros((3, 3, 3, 2), int)}, octavo.UsageError, "two pages at place 0 of device 0"),
        ({"map": np.ones((3, 3, 3, 2), int)}, octavo.UsageError, "page 1 of device 1, of 1 devices"),
        ({"files": [("pages", "nowhere")]}, octavo.UsageError, "there is no machine 'nowhere'"),
        ({"files": ["pages", "pages/within"]}, (octavo.IoError, octavo.UsageError), "Not a directory|is not a regular file"),  # made at the same time
        ({"cache": -1}, octavo.UsageError, "is no budget"),
    ],
)
def test_what_cannot_be_made(changed: dict[str, Any], error: type[Exception] | tuple[type[Exception], ...], text: str) -> None:
    with pytest.raises(error, match=text):
        made(**changed)
    assert octavo.naming.names() == []


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: octavo.open_array("ov://no/such"), "there is no object ov://no/such"),
        (lambda: octavo.info("ov://no/such"), "there is no object ov://no/such"),
        (lambda: octavo.naming.destroy_array("no/such"), "there is no object ov://no/such"),
        (lambda: octavo.open_array("ov://a//b"), "is no name"),
        (lambda: octavo.named("a//b").make_array((3,), (3,), "int8", ["pages"]), "is no name"),
        (lambda: octavo.named("a").make_array("not_there.npy"), "there is no such source"),
        (lambda: octavo.named("a").make_array("x.npy", map="block_cyclic"), "whose pages have their places"),  # type: ignore[call-overload]
        (lambda: octavo.named("a").resting_after(-1), "a time of -1"),
        (lambda: octavo.named("a").restart_always(-1), "-1 restarts"),
        (lambda: octavo.create_array("ov://a", (3,), "int8"), "is the name of an object or an array of processes"),
        (lambda: octavo.fft.fftn("x.npy", out="y.zarr", scratch="ov://a"), "is the name of an object or an array of processes"),
    ],
)
def test_what_there_is_not(call: Callable[[], object], text: str) -> None:
    np.save("x.npy", VALUES)
    with pytest.raises(octavo.Error, match=text):
        call()
    assert octavo.naming.names() == []


def test_what_does_not_go_with_a_name() -> None:
    make(NAME)
    with pytest.raises(octavo.UsageError, match="shape, dtype and the like are its own"):
        octavo.open_array(NAME, shape=(3,), dtype="int8")
    with pytest.raises(octavo.UsageError, match="opened for reading"):
        octavo.open_array(NAME)[0, 0, 0] = 1
    with pytest.raises(octavo.Refused, match="at least 4 MiB"):
        octavo.open_array(NAME, memory="1MiB")
    with pytest.raises(octavo.UsageError, match="ArrayRecord"):
        octavo.open_array(f"{NAME}/device/0")


def test_a_target_that_does_not_suit() -> None:
    np.save("x.npy", VALUES)
    octavo.named("real").make_array(SHAPE, PAGE, "float64", ["real"])
    octavo.named("other").make_array((12, 10, 8), PAGE, "complex128", ["other"])
    make(NAME, values=None)
    for name in ("real", "other"):
        with pytest.raises(octavo.UsageError, match="Give a target of the result's shape and dtype"):
            octavo.fft.fftn("x.npy", out=f"ov://{name}")
    with pytest.raises(octavo.UsageError, match="there is no object ov://no/such"):
        octavo.fft.fftn("x.npy", out="ov://no/such")
    with pytest.raises(octavo.UsageError, match="there already: chunks and compressor cannot be chosen"):
        octavo.fft.fftn("x.npy", out=NAME, chunks=(2, 2, 2), compressor="zstd")
    with pytest.raises(octavo.UsageError, match="opened for reading"):
        octavo.fft.fftn("x.npy", out=octavo.open_array(NAME))
    with pytest.raises(octavo.UsageError, match="a target there is made new"):
        octavo.fft.fftn(NAME, out=octavo.open_array("x.npy"))
    assert np.array_equal(all_of(NAME), np.zeros(SHAPE))


@pytest.mark.parametrize("name", ["", "ov://", None, 5])
def test_no_name(name: Any) -> None:
    with pytest.raises(octavo.UsageError, match=r"has no name.*octavo\.process\.make"):
        octavo.named(name)
