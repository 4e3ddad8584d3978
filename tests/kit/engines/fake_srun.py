#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays srun: runs a command once for each of the nodes that --nodelist names, on this host, with standard input given to all and labels before their lines.

FAKE_SRUN_SILENT=n3     on this node something runs that is no agent, and says nothing
FAKE_SRUN_LOG=FILE      the arguments and the variables of Slurm are written there, one a line
FAKE_SRUN_PIDS=FOLDER   the process of each node is written there
As srun, it tells of the ends of its tasks on standard error, and ends when all have.
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

lock = threading.Lock()


def spread(tasks: list["subprocess.Popen[bytes]"]) -> None:
    """Standard input to all tasks, until it ends."""
    while data := os.read(0, 4096):
        for task in tasks:
            try:
                os.write(task.stdin.fileno(), data)  # type: ignore[union-attr]
            except (BrokenPipeError, ValueError):
                continue
    for task in tasks:
        task.stdin.close()  # type: ignore[union-attr]


def label(number: int, lines: IO[bytes], to: IO[bytes]) -> None:
    for line in lines:
        with lock:
            to.write(b"%d: " % number + line)
            to.flush()


def tell_end(node: str, number: int, task: "subprocess.Popen[bytes]") -> None:
    status = task.wait()
    if status != 0:
        how = signal.Signals(-status).name if status < 0 else f"Exited with exit code {status}"
        with lock:
            print(f"srun: error: {node}: task {number}: {how}", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    own = 0
    while own < len(arguments) and arguments[own].startswith("-"):
        own += 1
    nodes = next(each for each in arguments if each.startswith("--nodelist=")).partition("=")[2].split(",")
    if log := os.environ.get("FAKE_SRUN_LOG"):
        slurms = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("SLURM")]
        Path(log).write_text("\n".join([*arguments, *slurms]) + "\n")
    tasks = []
    for node in nodes:
        silent = node in os.environ.get("FAKE_SRUN_SILENT", "").split(",")
        command = ["sleep", "1000"] if silent else arguments[own:]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        tasks.append(subprocess.Popen(command, env={**os.environ, "SLURMD_NODENAME": node}, **pipes))  # type: ignore[call-overload]
        if pids := os.environ.get("FAKE_SRUN_PIDS"):
            (Path(pids) / node).write_text(str(tasks[-1].pid))
    signal.signal(signal.SIGTERM, lambda *_: [task.kill() for task in tasks])
    threads = [threading.Thread(target=label, args=(i, task.stdout, sys.stdout.buffer)) for i, task in enumerate(tasks)]
    threads += [threading.Thread(target=label, args=(i, task.stderr, sys.stderr.buffer)) for i, task in enumerate(tasks)]
    threads += [threading.Thread(target=tell_end, args=(node, i, task)) for i, (node, task) in enumerate(zip(nodes, tasks, strict=True))]
    threading.Thread(target=spread, args=(tasks,), daemon=True).start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return max(abs(task.returncode) for task in tasks)


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)  # the thread that reads standard input would be waited for
