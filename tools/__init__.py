"""What is run on this project, and is no part of the package."""
