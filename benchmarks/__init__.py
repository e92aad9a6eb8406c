"""How fast the package is against its peers, as ratios of one run.

``python -m benchmarks`` (``make bench``) shows a table and writes ``latest.json``.
"""
