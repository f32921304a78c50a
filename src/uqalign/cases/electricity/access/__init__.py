"""Access to the operators' own data: ENTSO-E's transparency platform and Elia's open data."""
