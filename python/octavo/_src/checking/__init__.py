# SPDX-License-Identifier: Apache-2.0
"""What octavo check looks at: a file for each section, whose ``find`` gives its findings one after another; ``sections`` runs them all."""
