"""Measures a judge on claims that people labelled: files of claims, verdicts, figures."""
