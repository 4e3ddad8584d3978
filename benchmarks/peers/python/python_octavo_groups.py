# SPDX-License-Identifier: Apache-2.0
"""Octavo's groups for ./dev bench python: members in processes, on 2 and on 4."""

import octavo as ov
from python_answering import say
from python_group_timing import Array, measured


class Part:
    def rows(self) -> dict[str, float]:
        me = ov.self()

        def large(mine: Array, both: Array) -> None:
            me.all_reduce(mine, "sum", out=both)

        return measured(me.index, me.size, me.barrier, me.all_reduce, large)


def main() -> None:
    figures: dict[str, dict[str, float]] = {}
    for size in (2, 4):
        g = ov.make_group(Part, size)
        for row, value in g.all.rows()[0].items():
            figures[row] = {"octavo": value}
        ov.destroy(g)
    say(figures)


if __name__ == "__main__":
    main()
