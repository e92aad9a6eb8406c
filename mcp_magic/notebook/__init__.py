"""The notebook: the magics, what they print, and loading them into IPython."""
