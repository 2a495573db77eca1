"""One folder a kind of question, in families; each from the situation over solver calls to a section.

A topic reads no words of the message, imports no other topic, and chooses no format or layout itself.
"""
