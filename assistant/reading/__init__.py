"""Words into an annotation into a situation: the one room that sees what a person wrote.

A reader, whoever it is, marks up: it quotes, and says what kind of thing each quotation is and how it stands. Values
are parsed from the quotations here, so no reader can invent one.
"""
