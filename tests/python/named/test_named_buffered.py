# SPDX-License-Identifier: Apache-2.0
"""Buffers over an array with a name, which a job reads or writes meanwhile (BA-10)."""

from __future__ import annotations

import numpy as np
import octavo
from named_kit import SHAPE, VALUES, all_of, make

NAME = "ov://home/turbulence"


def test_ba10_a_job_reads_what_was_written_and_what_it_writes_is_read() -> None:
    make(NAME, None).close()
    with octavo.buffered(NAME, mode="r+") as u:
        u[...] = VALUES
        octavo.copy(u, "copy.npy", progress=False).close()
        np.testing.assert_array_equal(np.load("copy.npy"), VALUES)
        np.save("ones.npy", np.ones(SHAPE, "complex128"))
        u[0] = 7  # is overwritten, and not written back later
        octavo.copy("ones.npy", u, progress=False)
        assert (u[...] == 1).all()
    assert (all_of(NAME) == 1).all()
