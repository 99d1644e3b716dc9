"""The sentences that the parts below the front ends say, as patterns with named places.

They are written where they arise, in English and with their values in place, and so they stand in
traces and in the history. These tables are what `retelling` knows them by. What only the terminal
tells is not here.
"""
