-- The MCP server that a remembered answer is about, by how it is reached.
ALTER TABLE grants ADD COLUMN identity TEXT;

-- What MCP servers said of themselves: what is trusted, and what was said since.
CREATE TABLE pins (
  server TEXT NOT NULL,
  kind TEXT NOT NULL,           -- launch, instructions or tool
  name TEXT NOT NULL,           -- the tool's; nothing for the others
  trusted TEXT,                 -- JSON
  pending TEXT,                 -- JSON, if it is something else
  first_seen INTEGER NOT NULL,  -- nanoseconds since 1970
  changed_at INTEGER,
  accepted_at INTEGER,
  PRIMARY KEY (server, kind, name)
) STRICT, WITHOUT ROWID;

-- Calls of MCP tools that one door has just allowed: another lets each of them through once.
CREATE TABLE passes (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,          -- who allowed it
  agent TEXT NOT NULL,
  server TEXT NOT NULL,         -- by how it is reached
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,      -- a keyed digest
  person INTEGER NOT NULL,      -- 0 or 1: whether a person allowed exactly this
  at INTEGER NOT NULL,          -- nanoseconds since 1970
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
