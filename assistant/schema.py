"""The tables of the conversations, as what made and changed them, oldest first; a released one is never edited."""

FIRST = """
CREATE TABLE IF NOT EXISTS conversation (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, created_s {real} NOT NULL, updated_s {real} NOT NULL
){options};
CREATE TABLE IF NOT EXISTS turn (
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    answer TEXT NOT NULL,
    created_s {real} NOT NULL,
    PRIMARY KEY (conversation_id, number)
){options}
"""
SHARES_AND_JUDGEMENTS = """
CREATE TABLE IF NOT EXISTS share (
    token TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    turns INTEGER NOT NULL,
    created_s {real} NOT NULL,
    UNIQUE (conversation_id, turns)
){options};
CREATE TABLE IF NOT EXISTS judgement (
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    answer_id TEXT NOT NULL,
    helpful INTEGER NOT NULL,
    note TEXT,
    at_s {real} NOT NULL,
    PRIMARY KEY (conversation_id, answer_id)
){options}
"""
OWNERS_AND_RECEIPTS = """
ALTER TABLE conversation ADD COLUMN owner TEXT;
CREATE INDEX conversation_updated ON conversation (updated_s);
CREATE TABLE receipt (
    key TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    created_s {real} NOT NULL,
    FOREIGN KEY (conversation_id, number) REFERENCES turn (conversation_id, number) ON DELETE CASCADE
){options}
"""
WHAT_WAS_SAID = """
ALTER TABLE turn ADD COLUMN question TEXT;
ALTER TABLE turn ADD COLUMN need TEXT
"""
"""Null in turns kept before; they stand in the answer."""
PACKED_ANSWERS = "ALTER TABLE turn ADD COLUMN packed {bytes}"
"""What other turns may share of an answer, packed; `answer` then holds the rest. Null in turns kept before."""
MIGRATIONS = (FIRST, SHARES_AND_JUDGEMENTS, OWNERS_AND_RECEIPTS, WHAT_WAS_SAID, PACKED_ANSWERS)
