"""An endpoint on 127.0.0.1 that speaks OpenAI's protocol, for tests and benchmarks."""
