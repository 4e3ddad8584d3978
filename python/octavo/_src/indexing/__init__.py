# SPDX-License-Identifier: Apache-2.0
"""What an index of an array on disk selects: a strided box, or single elements; and the boxes that it is moved in."""
