"""What each Parquet file that crosses a stage must hold, a module per kind; its writer and reader check the same."""
