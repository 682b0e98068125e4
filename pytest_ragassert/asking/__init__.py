"""How a question gets its answer: from the store, or from the judge, once, and checked."""
