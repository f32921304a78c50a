"""Networks whose weights carry a leading axis: one lane per replicate."""
