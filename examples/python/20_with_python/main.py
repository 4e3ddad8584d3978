# SPDX-License-Identifier: Apache-2.0
"""A mean over a group, of which any member may be an object of C++: examples/cpp/20_with_python is the same program.

main.py                       a group of two objects that it makes
main.py offer home/python     makes one with a name, for the program in C++: main ov://home/python
main.py ov://home/part        a group of one that it makes, and of that, which the program in C++ offers
"""

import sys

import numpy as np
import octavo as ov
from part import Part


def main(*words: str) -> None:
    if len(words) == 2:
        ov.named(words[1]).make(Part)
        return
    other = ov.open(words[0]) if words else ov.process.make(Part)
    g = ov.group([ov.process.make(Part), other])
    for mean in g.all.mean(ov.each([np.array([0.0, 2.0]), np.array([2.0, 4.0])])):
        print(*(f"{each:g}" for each in mean))
    for before in g.all.rows_before(10):
        print("rows before:", before)


if __name__ == "__main__":
    main(*sys.argv[1:])
