"""Fits many small networks at once: replicates of one architecture are the lanes of one tensor program.

A fit of a table of some hundred rows is a few thousand operations on tiny matrices, and most of its time is spent
asking for them. Here the weights of all replicates (seed, fold, member) are stacked, so that one operation serves them
all, while each keeps its own initial weights, shuffles, dropout, optimiser state, schedule and early stopping.

    recipe      what is fitted and how: network, loss, optimiser, stopping
    fit         problems in, predictions out: the only entrance
    rows        one problem as arrays
    replicate   one fit: its seed, its rows, its progress
    engine      trains a block of replicates as one tensor program
    lanes       their stacked weights
    adam        the optimiser, one step count per lane
    heads       losses, and network outputs as predictive distributions
    device      which device, how much of it, and the lease on it

A replicate's numbers do not depend on which others share its block: every operation keeps lanes apart, and on a CPU
each block is computed by one thread.
"""
