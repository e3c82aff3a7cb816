-- What happened, one entry a row. No column without its name and value in the row's MAC.
CREATE TABLE record (
  seq INTEGER PRIMARY KEY,      -- from 1, without gaps
  part INTEGER NOT NULL,        -- its place among those that were committed with it, from 0
  at INTEGER NOT NULL,          -- nanoseconds since 1970
  kind TEXT NOT NULL,
  call TEXT,
  approval TEXT,
  session TEXT,
  agent TEXT,
  workspace TEXT,
  effect TEXT,
  access TEXT,
  detail TEXT NOT NULL,         -- JSON
  prev BLOB NOT NULL,           -- the MAC of the entry before
  mac BLOB NOT NULL             -- the MAC of this one
) STRICT;
CREATE INDEX record_at ON record (at);
CREATE INDEX record_call ON record (call) WHERE call IS NOT NULL;
CREATE INDEX record_approval ON record (approval) WHERE approval IS NOT NULL;
CREATE INDEX record_session ON record (session) WHERE session IS NOT NULL;
CREATE INDEX record_agent ON record (agent, kind) WHERE agent IS NOT NULL;
CREATE INDEX record_kind ON record (kind, effect);

-- Where the record begins, once its oldest entries went to an archive: one row an archive.
CREATE TABLE anchors (
  first INTEGER PRIMARY KEY,    -- the number of the first entry in it
  last INTEGER NOT NULL,        -- and of the last
  prev BLOB NOT NULL,           -- the MAC of the entry before the first
  mac BLOB NOT NULL,            -- the MAC of the last
  seal BLOB NOT NULL            -- the MAC of this row
) STRICT;

-- How often an agent's wish was answered with what: counted from the record's `answered` entries.
CREATE TABLE history (
  agent TEXT NOT NULL,
  access TEXT NOT NULL,
  allowed INTEGER NOT NULL,
  denied INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,  -- nanoseconds since 1970
  PRIMARY KEY (agent, access)
) STRICT, WITHOUT ROWID;

-- Remembered answers.
CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  effect TEXT NOT NULL,
  agent TEXT NOT NULL,
  scope TEXT NOT NULL,
  owner TEXT,
  session TEXT,
  workspace TEXT,
  pattern TEXT,
  fingerprint TEXT,
  server TEXT,
  level TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  uses_left INTEGER,
  used INTEGER NOT NULL,
  used_at INTEGER,
  revoked_at INTEGER,
  approval TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_owner ON grants (owner) WHERE owner IS NOT NULL;

-- Questions.
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  workspace TEXT,
  digest TEXT NOT NULL,
  card TEXT,                    -- JSON; nothing once it is settled
  state TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  settled_at INTEGER,
  "by" TEXT,
  reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_pending ON approvals (asked_at) WHERE settled_at IS NULL;
CREATE INDEX approvals_settled ON approvals (settled_at) WHERE settled_at IS NOT NULL;

-- Answers that other processes gave.
CREATE TABLE offers (
  id TEXT PRIMARY KEY,
  approval TEXT NOT NULL,
  owner TEXT NOT NULL,
  response TEXT,                -- JSON; nothing once there is a reply
  "by" TEXT NOT NULL,
  at INTEGER NOT NULL,
  replied INTEGER NOT NULL,     -- 0 or 1
  refused TEXT                  -- why it was not taken
) STRICT, WITHOUT ROWID;
CREATE INDEX offers_waiting ON offers (owner) WHERE replied = 0;

-- Counts what is not in the record, so that others see that it changed.
CREATE TABLE changes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL
) STRICT;
INSERT INTO changes VALUES (1, 0);
