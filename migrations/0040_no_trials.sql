-- Figures of tests of the search are kept no longer: models are compared by embedding.compare, which keeps nothing.
DROP TABLE trials;
