# SPDX-License-Identifier: Apache-2.0
"""Two workers joined by channels: the first makes samples, the second means of them, the program prints these."""

import numpy as np
import octavo as ov


class Source:
    def run(self, count: int, out: ov.ChannelWriter) -> None:
        """Each end belongs to whom it was passed to."""
        with out:  # leaving it closes the channel
            for i in range(1, count + 1):
                out.post(np.full(1000, float(i)))


class Means:
    def run(self, samples: ov.ChannelReader, out: ov.ChannelWriter) -> None:
        with out:
            for each in samples:  # until the channel is at its end
                out.post(float(each.mean()))


def main() -> None:
    with ov.Runtime(engine=ov.played(["node1", "node2"])) as runtime:
        source = runtime.machine("node1").make(Source)
        means = runtime.machine("node2").make(Means)

        samples_out, samples_in = ov.channel(messages=8)  # from then on a post waits
        means_out, means_in = ov.channel()
        made = ov.start(source.run, 5, samples_out)
        done = ov.start(means.run, samples_in, means_out)
        for mean in means_in:
            print(f"mean {mean:g}")
        made.result()
        done.result()

        out, values = ov.channel(messages=8)
        endless = ov.start(source.run, 1_000_000, out)
        print(f"the first of very many: {values.retrieve()[0]:g}")
        values.cancel()  # the writer's next post says so
        try:
            endless.result()
        except ov.errors.ChannelCancelled:
            print("the source was told")


if __name__ == "__main__":
    main()
