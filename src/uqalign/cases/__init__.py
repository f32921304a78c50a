"""Case studies: real decisions with real money, on the models, caches, metrics and alignment of the benchmark."""
