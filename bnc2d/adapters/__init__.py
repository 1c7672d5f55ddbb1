"""Networks and classifiers of other libraries; none of these libraries is imported before it is needed."""
