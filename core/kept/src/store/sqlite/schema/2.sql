-- The scripts that a remembered answer is about, with what they held.
ALTER TABLE grants ADD COLUMN scripts TEXT; -- JSON; nothing if there are none
