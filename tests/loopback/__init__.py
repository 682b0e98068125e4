"""A judge on 127.0.0.1 that speaks OpenAI chat completions, for tests and benchmarks."""
