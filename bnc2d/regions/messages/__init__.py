"""Messages: what the features beyond a separator say of it.

- ``tree`` joins the tables of a network two by two, ``leaves`` are its tables within a region; ``product``
  multiplies messages.
- ``changes``: what each change of one feature makes of an instance.
- ``possible``: which instances of a region are impossible, by zeros alone.
"""
