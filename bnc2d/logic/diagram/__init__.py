"""Decision diagrams with classes at their terminals: data, reordering, walks, circuits from and to them."""
