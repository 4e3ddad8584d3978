# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extremes and spreads of arrays on disk, block by block."""
