# SPDX-License-Identifier: Apache-2.0
"""Who else uses a file: other programs, HDF5 in this one, and the value that is to be written into it."""
