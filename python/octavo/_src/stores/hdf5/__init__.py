# SPDX-License-Identifier: Apache-2.0
"""HDF5, by h5py, or past it where its elements lie as Octavo reads and writes them itself."""
