# SPDX-License-Identifier: Apache-2.0
"""Streams: stages, farms and pipelines of them. description.py says what one is, running/flow.py runs it, worker.py is what its processes have."""
