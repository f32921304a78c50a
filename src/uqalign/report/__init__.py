"""The report: one page that shows a run, built from data frames of any origin (`uqalign.report.page.build_page`)."""
