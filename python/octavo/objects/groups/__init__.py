# SPDX-License-Identifier: Apache-2.0
"""Groups of objects, and their collectives."""
