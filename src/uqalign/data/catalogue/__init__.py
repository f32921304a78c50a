"""The built-in data sets, one module per origin; each lists its declarations in `DATASETS`."""
