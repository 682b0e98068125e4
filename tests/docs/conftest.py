"""The files that pages begin with are no tests of this project."""

collect_ignore = ["files"]
