"""Real data: public data sets, classifiers trained on them, their explanations measured and checked.

``keel`` reads files, ``sets`` fetches the public ones, ``train`` makes classifiers with other libraries,
``measure`` explains rows by both routes, ``worst_case`` checks every reason in a third way, ``plan`` says
which jobs there are and ``summary`` what came out.
"""
