# SPDX-License-Identifier: Apache-2.0
"""A stream of images through two filters: the same text with its stages on threads, in processes and on machines."""

import itertools
from collections.abc import Iterator

import numpy as np
import octavo as ov


class Blur:
    def __init__(self, radius: int) -> None:
        self.radius = radius

    def svc(self, image: np.ndarray) -> np.ndarray:
        near = [image[max(0, i - self.radius) : i + self.radius + 1] for i in range(len(image))]
        return np.array([each.mean() for each in near])


def emboss(image: np.ndarray) -> Iterator[np.ndarray]:
    embossed = np.diff(image, prepend=0.0)
    if embossed[1] != 0:  # an image without edges is left out
        yield embossed


def square(x: int) -> int:
    return x * x


def main() -> None:
    with ov.Runtime(engine=ov.played(["node1", "node2"])) as runtime:
        node1, node2 = runtime.machine("node1"), runtime.machine("node2")
        for places in ([ov.thread], [ov.process], [node1, node2]):
            images = [np.array([float(i % 3)] + [0.0] * 63) for i in range(6)]
            s = ov.pipeline(ov.farm(Blur, 3).workers(2).on(places), ov.stage(emboss).on(places).named("Emboss"))
            report = s.run(images, into=lambda done: print(f"{done[0]:g}", end=" "))
            print(*(f"| {each.name} on {each.place}: {each.taken} -> {each.given}" for each in report.stages), "")

        for x in ov.pipeline(itertools.count(), ov.farm(square))():
            if x > 50:
                break  # ends all stages
            print(x, end=" ")
        print()


if __name__ == "__main__":
    main()
