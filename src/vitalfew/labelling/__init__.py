"""Documents in a database, few of them labelled: the labels of all the others."""
