# SPDX-License-Identifier: Apache-2.0
"""Section 3.1 of the paper: simple objects are processes too. A block of numbers on another machine, used with []."""

import octavo as ov


def total(block: ov.RemoteArray[float]) -> float:
    return float(block[:].sum())


if __name__ == "__main__":
    with ov.Runtime(engine=ov.played(["machine1"])) as cluster:
        remote_machine = cluster.machine("machine1")

        data = remote_machine.make(ov.RemoteArray[float], 1024)  # double * data = new(remote_machine) double[1024];
        data[7] = 3.1415
        x = data[2]
        print(f"data[2] is {x:g}, data[7] is {data[7]:g}")

        data.add(2, 0.5)  # added where the number is: whoever does the same meanwhile, nothing is lost
        print(f"data[2] is {data[2]:g}, the sum of all {len(data)} is {ov.call(data, total):g}")

        part = data[6:9]  # many at once: one call
        print("data[6..8] is", ", ".join(f"{x:g}" for x in part))

        try:
            data[1024] = 1
        except IndexError as error:
            print(f"data[1024]: {error}")
        ov.destroy(data)  # the process that has them ends
