"""The colours of all pictures."""

WHITE = "#fff"
GREY, LIGHT_GREY, DARK_GREY, INK, PAPER = "#8c96a3", "#c9ced6", "#6b7480", "#1f2328", "#f6f8fa"
BLUE, GREEN, ORANGE, OCHRE = "#4c5fd5", "#0b8276", "#e8590c", "#b58a1b"
PALE_BLUE, PALE_GREEN, PALE_ORANGE = "#dfe3fb", "#d3f0ec", "#ffe8d6"
