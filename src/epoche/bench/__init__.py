"""Benchmarks: data sets, resumable runs, scores computed from their records, figures and reports."""
