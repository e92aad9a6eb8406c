"""What a notebook shows live: the list of tools with their forms, the known servers.

Widgets know no network: they are given callbacks. Importing this package loads neither
ipywidgets nor anywidget; ``front`` alone does, when the first widget is shown.
"""
