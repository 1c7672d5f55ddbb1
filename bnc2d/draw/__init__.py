"""Pictures of boxes and edges, whatever they stand for: layouts, summaries, SVG, PNG, Graphviz text, HTML."""
