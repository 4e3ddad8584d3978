# SPDX-License-Identifier: Apache-2.0
"""Any Python object in a process of its own: places, remote pointers, futures, and the server that hosts the objects."""
