-- A store as version 1 wrote it.
-- key: 147f46ae3ff651d59d4754f54636f67951ba4d053aedc143a4c771c9b30c7a04
-- head: mayi head 1 00000000000000000003 7846287c8da4610bb663f6e0369466f25084b482dc6333ff049691094dd1f4e2 606dbc7cfb979842228bdfc027593cf13053efc4eb5423a369229acb4296eb8b
PRAGMA application_id = 1835104617;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO record VALUES(1,0,1800000000000000000,'proposed','00000000-0000-0000-0000-000000000000','01a2020f-13db-77fd-9734-bb604c0b3991','session-0','codex','/w','deny','shell(make 0)','{"number":0,"text":"hé \"x\""}',X'0000000000000000000000000000000000000000000000000000000000000000',X'c20c394bd4de4b6470f88a2dc241adb5cd621b4d8864eeee6590e88857b62d51');
INSERT INTO record VALUES(2,0,1800000001000000000,'decided','00000000-0000-0000-0000-000000000001','01a2020f-13db-77fd-9734-bb61d650eb3d','session-1','claude','/w','allow','shell(make 1)','{"number":1,"text":"hé \"x\""}',X'c20c394bd4de4b6470f88a2dc241adb5cd621b4d8864eeee6590e88857b62d51',X'f877349d97db1189b53ea39e5988da9d49abed3f814dfdcb6c382f4a95dad481');
INSERT INTO record VALUES(3,0,1800000002000000000,'answered','00000000-0000-0000-0000-000000000002','01a2020f-13db-77fd-9734-bb6256584426','session-0','claude','/w','allow','shell(make 2)','{"number":2,"text":"hé \"x\""}',X'f877349d97db1189b53ea39e5988da9d49abed3f814dfdcb6c382f4a95dad481',X'7846287c8da4610bb663f6e0369466f25084b482dc6333ff049691094dd1f4e2');
CREATE TABLE anchors (
  first INTEGER PRIMARY KEY,    -- the number of the first entry in it
  last INTEGER NOT NULL,        -- and of the last
  prev BLOB NOT NULL,           -- the MAC of the entry before the first
  mac BLOB NOT NULL,            -- the MAC of the last
  seal BLOB NOT NULL            -- the MAC of this row
) STRICT;
CREATE TABLE history (
  agent TEXT NOT NULL,
  access TEXT NOT NULL,
  allowed INTEGER NOT NULL,
  denied INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,  -- nanoseconds since 1970
  PRIMARY KEY (agent, access)
) STRICT, WITHOUT ROWID;
INSERT INTO history VALUES('claude','shell(make 2)',1,0,1800000002000000000);
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
INSERT INTO grants VALUES('01a2020f-13db-77fd-9734-bb64dd13d0ae','allow','claude','workspace',NULL,NULL,'/w','shell(make *)',NULL,'github','read',1800000001000000000,1800000009000000000,3,1,1800000002000000000,NULL,'01a2020f-13db-77fd-9734-bb639c606cae');
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
INSERT INTO approvals VALUES('01a2020f-13db-77fd-9734-bb639c606cae','01a2020f-13db-77fd-9734-bb65e8138fe1','claude','s',NULL,'6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b','{"title":"x"}','pending',1800000001000000000,NULL,NULL,NULL);
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
CREATE TABLE changes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL
) STRICT;
INSERT INTO changes VALUES(1,1);
CREATE INDEX record_at ON record (at);
CREATE INDEX record_call ON record (call) WHERE call IS NOT NULL;
CREATE INDEX record_approval ON record (approval) WHERE approval IS NOT NULL;
CREATE INDEX record_session ON record (session) WHERE session IS NOT NULL;
CREATE INDEX record_agent ON record (agent, kind) WHERE agent IS NOT NULL;
CREATE INDEX record_kind ON record (kind, effect);
CREATE INDEX grants_owner ON grants (owner) WHERE owner IS NOT NULL;
CREATE INDEX approvals_pending ON approvals (asked_at) WHERE settled_at IS NULL;
CREATE INDEX approvals_settled ON approvals (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX offers_waiting ON offers (owner) WHERE replied = 0;
COMMIT;
