"""Readers and writers: one module a format, one way in (``read_network``) and out (``write_network``)."""
