# SPDX-License-Identifier: Apache-2.0
"""Groups of arrays, in Zarr and in HDF5: what lies in them, and which an array belongs to."""
