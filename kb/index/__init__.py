"""The library of documents: passages, their words, and the dense index built from them."""
