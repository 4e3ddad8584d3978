# SPDX-License-Identifier: Apache-2.0
"""A queue of jobs for workers in processes of their own: each job goes to one that is free. One worker dies of its job."""

import os

import octavo as ov


class Worker:
    def __init__(self, jobs: ov.Queue[int]) -> None:
        self.jobs = jobs

    def run(self, all_here: ov.Barrier) -> int:
        all_here.wait()
        total = 0
        try:
            while True:
                job = self.jobs.get()
                if job < 0:
                    os._exit(1)
                total += job
                self.jobs.task_done()
        except ov.errors.QueueShutDown:  # nothing is left
            return total


def main() -> None:
    with ov.Runtime():
        jobs: ov.Queue[int] = ov.Queue(8)  # from then on a put waits
        all_here = ov.Barrier(4)
        running = [ov.start(ov.process.make(Worker, jobs).run, all_here) for _ in range(4)]
        for job in range(1, 101):
            jobs.put(job)
        jobs.join()  # all are worked off

        jobs.put(-1)
        try:
            jobs.join()
        except ov.ProcessDied as e:
            print("a Worker died with what it had taken" if "Worker" in str(e) else e)
        for job in range(101, 201):
            jobs.put(job)
        jobs.shutdown()
        total = died = 0
        for each in running:
            try:
                total += each.result()
            except ov.ProcessDied:
                died += 1
        print(f"{died} died, the others went on: {'yes' if total > 100 else 'no'}")


if __name__ == "__main__":
    main()
