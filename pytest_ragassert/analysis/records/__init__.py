"""The results of a run as typed records, their figures, and the files that store them: results,
artifacts, baseline, history, calibration.
"""
