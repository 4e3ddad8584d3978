# SPDX-License-Identifier: Apache-2.0
"""Arrays with names (NA-1 to NA-5 of octavo/data/named_array.hpp): made in one program, used in others, killed, destroyed."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from datetime import timedelta
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import Array, wait_for
from named_kit import PAGE, SHAPE, VALUES, again, all_of, devices_of, kill_devices, make, program

NAME = "ov://home/turbulence"


def test_it_is_an_array_that_outlives_its_program() -> None:
    program("""
        a = ov.named("ov://home/turbulence").make_array((4, 6), (3, 4), "float32", ["pages.0", "pages.1"])
        a[...] = np.arange(24).reshape(4, 6)
    """)
    a = octavo.open_array(NAME)
    assert (a.shape, a.chunks, a.dtype, a.format, a.path) == ((4, 6), (3, 4), np.float32, "octavo", NAME)
    assert (dict(a.attrs), a.dims) == ({}, None)
    assert np.array_equal(a[...], np.arange(24).reshape(4, 6))
    assert repr(a) == f"<octavo.Array '{NAME}' (4, 6) float32, 96 B, chunks (3, 4)>"
    octavo.naming.end_lasting_agent()  # a year later
    assert program(f"print(ov.open_array('{NAME}')[3, 5])") == "23.0\n"
    assert a[3, 5] == 23  # and those who had it open have it still


def test_two_programs_have_it_at_the_same_time() -> None:
    a = make(NAME)
    assert (
        program(f"""
        a = ov.open_array("{NAME}", mode="r+")
        print(a[1, 2, 3])
        a[1, 2, 3] = 5 - 7j
    """)
        == f"{VALUES[1, 2, 3]}\n"
    )
    assert a[1, 2, 3] == 5 - 7j


@pytest.mark.parametrize("path", ["stored.octavo", "stored.zarr", "stored.npy"])
def test_over_what_is_stored(path: str) -> None:
    with octavo.create_array(path, SHAPE, "complex128") as stored:
        stored[...] = VALUES
    a = octavo.named(NAME).make_array(path)
    assert np.array_equal(a[...], VALUES)
    a[0] = 1
    a.flush()
    os.chdir("/")  # nothing of it depends on where a program is
    octavo.naming.end_lasting_agent()
    assert np.array_equal(all_of(NAME), [np.ones((10, 9)), *VALUES[1:]])


def _pages_of(path: str, page: tuple[int, ...]) -> list[Array]:
    """The pages of a file, one after the other, behind its header."""
    return list(np.fromfile(path, "complex128", offset=4096).reshape(-1, *page))


def test_its_pages_lie_where_its_map_says() -> None:
    table = np.zeros((3, 3, 3, 2), np.uint8)
    table[..., 0] = np.arange(3) == 1  # the middle pages of the last axis on the second file, those of its ends turned round on the first
    for i, (first, last) in enumerate(zip(range(9), reversed(range(9, 18)), strict=True)):
        at = np.unravel_index(i, (3, 3))
        table[at] = [(0, first), (1, i), (0, last)]
    for name, map, places in (
        ("blocks", "block_cyclic:5", [((0, 0, 0), 0, 0), ((0, 1, 2), 1, 0), ((1, 0, 1), 0, 5)]),
        ("turns", "block_cyclic", [((0, 0, 1), 1, 0), ((2, 2, 2), 0, 13)]),
        ("circle", "circulant", [((1, 1, 1), 1, 4)]),
        ("table", table, [((0, 0, 0), 0, 0), ((0, 0, 2), 0, 17), ((2, 1, 1), 1, 7)]),
    ):
        files = [f"{name}.{number}" for number in range(2)]
        a = octavo.named(f"home/{name}").make_array(SHAPE, PAGE, "complex128", files, map=map)
        a[...] = VALUES
        a.flush()
        octavo.naming.end_lasting_agent()
        assert np.array_equal(all_of(f"ov://home/{name}"), VALUES), name
        for at, device, number in places:
            block = VALUES[tuple(slice(4 * index, 4 * index + 4) for index in at)]
            there = tuple(slice(extent) for extent in block.shape)  # at the array's edge not the whole page
            found = [i for i, page in enumerate(_pages_of(files[device], PAGE)) if np.array_equal(page[there], block)]
            assert found == [number], (name, at)


def test_a_map_is_seen_by_programs_of_cpp_and_python() -> None:
    table = np.stack([np.zeros(4, int), np.array([3, 1, 0, 2])], axis=-1)
    octavo.named(NAME).make_array((8,), (2,), "int8", ["pages"], map=table)[...] = np.arange(8)
    assert program(f"print(ov.open_array('{NAME}')[...].tolist())") == f"{list(range(8))}\n"
    octavo.naming.destroy_array(NAME)
    assert list(np.fromfile("pages", "int8", offset=4096)) == [4, 5, 2, 3, 6, 7, 0, 1]


def test_over_what_another_library_decodes() -> None:
    zarr, numcodecs = pytest.importorskip("zarr"), pytest.importorskip("numcodecs")
    zarr.create_array("packed.zarr", shape=SHAPE, chunks=SHAPE, dtype="complex128", zarr_format=2, compressors=numcodecs.LZMA())
    with pytest.raises(octavo.NotSupported, match="lzma"):
        octavo.named(NAME).make_array("packed.zarr")
    assert octavo.naming.names() == []


def test_over_what_its_devices_decode() -> None:
    octavo.create_array("packed.zarr", SHAPE, "complex128", compressor="zstd").close()
    a = octavo.named(NAME).make_array("packed.zarr")
    a[...] = VALUES
    a.flush()
    kill_devices(NAME)
    assert np.array_equal(again(lambda: a[...]), VALUES)
    octavo.naming.destroy_array(NAME)
    assert np.array_equal(octavo.open_array("packed.zarr")[...], VALUES)


def test_a_device_that_was_killed_comes_back() -> None:
    a = make(NAME)
    a.flush()
    kill_devices(NAME)
    assert np.array_equal(again(lambda: a[...]), VALUES)
    assert again(lambda: program(f"print(ov.open_array('{NAME}')[1, 2, 3])")) == f"{VALUES[1, 2, 3]}\n"


def test_destroyed_its_pages_stay() -> None:
    a = make(NAME)
    reader = octavo.open_array(NAME)
    assert reader[0, 0, 0] == VALUES[0, 0, 0]
    octavo.naming.destroy_array(NAME)
    assert octavo.naming.names() == []
    with pytest.raises(octavo.UsageError, match=f"there is no object {NAME}"):
        octavo.open_array(NAME)
    for each in (a, reader):
        with pytest.raises(octavo.GoneError, match="destroyed"):
            _ = each[0, 0, 0]
    assert np.array_equal(make(NAME, values=None)[...], VALUES)


def test_one_that_was_made_anew_with_another_shape_is_not_taken_for_the_old() -> None:
    make(NAME)
    reader = octavo.open_array(NAME)
    octavo.naming.destroy_array(NAME)
    octavo.named(NAME).make_array((3, 3), (2, 2), "float64", ["other"])
    with pytest.raises(octavo.UsageError, match="is another array than the one that was opened"):
        _ = reader[0, 0, 0]


def test_names() -> None:
    make(NAME)
    octavo.named("data/other").make_array((3,), (2,), "int8", ["other"])
    assert [each.name for each in octavo.naming.names("ov://home")] == ["home/turbulence", "home/turbulence/device/0", "home/turbulence/device/1"]
    assert [each.name for each in octavo.naming.names()][:2] == ["data/other", "data/other/device/0"]
    found = octavo.naming.names("data/other/device/0")[0]
    assert (found.class_name, found.generation) == ("octavo::PageFile", 1)
    assert found.pid > 0
    assert 0 <= octavo.naming.names()[-1].made - found.made < 60 or found.made > 1.7e9


def test_it_rests_and_comes_back() -> None:
    a = octavo.named(NAME).resting_after(timedelta(seconds=0.2)).make_array(SHAPE, PAGE, "complex128", ["pages"])
    a[...] = VALUES
    wait_for(lambda: all(each.pid == 0 for each in octavo.naming.names()), 20, "all of it rests")
    assert np.array_equal(a[...], VALUES)


def test_restart_always_brings_a_device_back_without_a_call() -> None:
    octavo.named(NAME).restart_always(5, 60).make_array(SHAPE, PAGE, "complex128", ["pages"])
    (before,) = devices_of(NAME)
    kill_devices(NAME)
    wait_for(lambda: [each.pid for each in devices_of(NAME)] not in ([before.pid], [0]), 20, "it is there again")


def test_restart_never_leaves_it_to_who_opens_it() -> None:
    a = octavo.named(NAME).restart_never().make_array(SHAPE, PAGE, "complex128", ["pages"])
    a[...] = VALUES
    a.flush()
    kill_devices(NAME)
    for _ in range(2):
        with pytest.raises(octavo.ProcessDied):
            _ = a[0, 0, 0]
    assert np.array_equal(all_of(NAME), VALUES)


def test_views_reductions_and_pickles() -> None:
    a = make(NAME)
    assert np.allclose(a.sum(axis=1), VALUES.sum(axis=1))
    assert np.array_equal(np.asarray(a.T), VALUES.T)
    again_opened = pickle.loads(pickle.dumps(a))
    again_opened[0, 0, 0] = 3
    assert (again_opened.path, a[0, 0, 0]) == (NAME, 3)
    assert again_opened == again_opened
    with octavo.open_array(NAME, mode="r+") as other, pytest.raises(octavo.UsageError, match="a part of itself"):
        other[...] = a


def test_a_forked_process_opens_it_again() -> None:
    a = make(NAME)
    child = multiprocessing.get_context("fork").Process(target=lambda: os._exit(0 if np.array_equal(a[...], VALUES) else 1))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert np.array_equal(a[...], VALUES)


class Summing:
    def total(self, a: octavo.Array | str) -> complex:
        return complex((octavo.open_array(a) if isinstance(a, str) else a).sum())


@pytest.mark.parametrize("place", ["process", "thread"])
def test_an_object_opens_it_or_is_given_it(place: str) -> None:
    a = make(NAME)
    summing = getattr(octavo, place).make(Summing)
    assert np.isclose(summing.total(NAME), VALUES.sum())
    assert np.isclose(summing.total(a), VALUES.sum())
    octavo.destroy(summing)


def test_threads_share_it_within_little_memory() -> None:
    a, wrong = make(NAME), []

    def read(plane: int) -> None:
        own = octavo.open_array(NAME, memory="4MiB")
        wrong.extend(plane for each in (a, own) for _ in range(5) if not np.array_equal(each[plane], VALUES[plane]))

    threads = [threading.Thread(target=read, args=(plane,)) for plane in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_devices_on_another_machine(tmp_path: Path) -> None:
    program(f"""
        engine = ov.played(["box"], "{tmp_path}/played")
        with ov.Runtime(engine=engine) as cluster:
            a = ov.named("far").make_array((6, 6), (2, 6), "float64", ["{tmp_path}/near", ("{tmp_path}/far", "box")])
            a[...] = np.arange(36).reshape(6, 6)
            assert ov.open_array("ov://far")[5, 5] == 35
            assert ov.info("ov://far").devices == ("{tmp_path}/near", "box:{tmp_path}/far")
            assert [each.name for each in ov.naming.names()] == ["far", "far/device/0"]  # the other has its name there
            assert [each.name for each in ov.naming.names(machine="box")] == ["far/device/1"]
            ov.naming.destroy_array("far")
            assert ov.naming.names() == ov.naming.names(machine="box") == []
            ov.naming.end_lasting_agent("box")
    """)


def test_devices_on_another_machine_are_transformed(tmp_path: Path) -> None:  # NA-5
    begin = f"""
        engine = ov.played(["box"], "{tmp_path}/played")
        with ov.Runtime(engine=engine) as cluster:
    """
    program(
        begin
        + f"""
            a = ov.named("far").make_array((20, 14), (4, 4), "complex128", ["{tmp_path}/near", ("{tmp_path}/far", "box")])
            a[...] = np.arange(280).reshape(20, 14)
    """
    )
    program(
        begin
        + f"""
            a = ov.open_array("ov://far", mode="r+")
            ov.Job(a, a, memory="8 MiB", cores=2).run()
            assert np.allclose(a[...], np.fft.fft2(np.arange(280).reshape(20, 14)))
            ov.Job(a, "{tmp_path}/back.npy", "ifft", memory="8 MiB", cores=2).run()
            assert np.allclose(np.load("{tmp_path}/back.npy"), np.arange(280).reshape(20, 14))
            ov.naming.destroy_array("far")
            ov.naming.end_lasting_agent("box")
    """
    )


def test_what_was_open_when_the_runtime_ended_is_opened_again() -> None:
    make(NAME)
    program(f"""
        with ov.Runtime():
            a = ov.open_array("{NAME}", mode="r+")
            a[0, 0, 0] = 3
        assert a[0, 0, 0] == 3
        with ov.Runtime():
            assert a[0, 0, 0] == 3
        a.close()
    """)


def test_ctrl_c_ends_a_read() -> None:
    a = make(NAME)
    (device, _) = devices_of(NAME)
    assert (
        program(f"""
        import threading
        a = ov.open_array("{NAME}")
        assert a[0, 0, 0] == {VALUES[0, 0, 0]}
        os.kill({device.pid}, signal.SIGSTOP)
        try:
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            a[...]
        except KeyboardInterrupt:
            print("stopped")
        os.kill({device.pid}, signal.SIGCONT)
    """)
        == "stopped\n"
    )
    assert np.array_equal(a[...], VALUES)
