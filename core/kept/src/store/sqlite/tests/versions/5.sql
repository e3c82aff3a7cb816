-- A store as version 5 wrote it.
-- key: 147f46ae3ff651d59d4754f54636f67951ba4d053aedc143a4c771c9b30c7a04
-- head: mayi head 1 00000000000000000003 7846287c8da4610bb663f6e0369466f25084b482dc6333ff049691094dd1f4e2 606dbc7cfb979842228bdfc027593cf13053efc4eb5423a369229acb4296eb8b
PRAGMA application_id = 1835104617;
PRAGMA user_version = 5;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE anchors (
  first INTEGER PRIMARY KEY,    -- the number of the first entry in it
  last INTEGER NOT NULL,        -- and of the last
  prev BLOB NOT NULL,           -- the MAC of the entry before the first
  mac BLOB NOT NULL,            -- the MAC of the last
  seal BLOB NOT NULL            -- the MAC of this row
) STRICT;
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
INSERT INTO "approvals" VALUES('01a2020f-13db-77fd-9734-bb639c606cae','01a2020f-13db-77fd-9734-bb65e8138fe1','claude','s',NULL,'6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b','{"title":"x"}','pending',1800000001000000000,NULL,NULL,NULL);
CREATE TABLE changes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL
) STRICT;
INSERT INTO "changes" VALUES(1,1);
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
, scripts TEXT, identity TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "grants" VALUES('01a2020f-13db-77fd-9734-bb64dd13d0ae','allow','claude','workspace',NULL,NULL,'/w','shell(make *)',NULL,'github','read',1800000001000000000,1800000009000000000,3,1,1800000002000000000,NULL,'01a2020f-13db-77fd-9734-bb639c606cae','[{"path":"/w/run.sh","digest":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]','abababababababababababababababababababababababababababababababab');
CREATE TABLE history (
  agent TEXT NOT NULL,
  access TEXT NOT NULL,
  allowed INTEGER NOT NULL,
  denied INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,  -- nanoseconds since 1970
  PRIMARY KEY (agent, access)
) STRICT, WITHOUT ROWID;
INSERT INTO "history" VALUES('claude','shell(make 2)',1,0,1800000002000000000);
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
INSERT INTO "passes" VALUES('01a2020f-13db-77fd-9734-bb604c0b3991','01a2020f-13db-77fd-9734-bb61d650eb3d','claude','abababababababababababababababababababababababababababababababab','list_issues','cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',1,1800000000000000000,1800000120000000000);
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
INSERT INTO "pins" VALUES('github','tool','list_issues','{"value":{"description":"Lists issues","name":"list_issues"},"digest":"3c769b7b85006a3f09b189671872bc236a27468a5e3249e15564667c98308038","form":1}','{"value":{"description":"Lists all issues","name":"list_issues"},"digest":"5aeba3904552213ace5ac819abbd9df5c9cd03e6badc0d600abae15e516a4190","form":1}',1800000000000000000,1800000001000000000,NULL);
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
INSERT INTO "record" VALUES(1,0,1800000000000000000,'proposed','00000000-0000-0000-0000-000000000000','01a2020f-13db-77fd-9734-bb604c0b3991','session-0','codex','/w','deny','shell(make 0)','{"number":0,"text":"hé \"x\""}',X'0000000000000000000000000000000000000000000000000000000000000000',X'C20C394BD4DE4B6470F88A2DC241ADB5CD621B4D8864EEEE6590E88857B62D51');
INSERT INTO "record" VALUES(2,0,1800000001000000000,'decided','00000000-0000-0000-0000-000000000001','01a2020f-13db-77fd-9734-bb61d650eb3d','session-1','claude','/w','allow','shell(make 1)','{"number":1,"text":"hé \"x\""}',X'C20C394BD4DE4B6470F88A2DC241ADB5CD621B4D8864EEEE6590E88857B62D51',X'F877349D97DB1189B53EA39E5988DA9D49ABED3F814DFDCB6C382F4A95DAD481');
INSERT INTO "record" VALUES(3,0,1800000002000000000,'answered','00000000-0000-0000-0000-000000000002','01a2020f-13db-77fd-9734-bb6256584426','session-0','claude','/w','allow','shell(make 2)','{"number":2,"text":"hé \"x\""}',X'F877349D97DB1189B53EA39E5988DA9D49ABED3F814DFDCB6C382F4A95DAD481',X'7846287C8DA4610BB663F6E0369466F25084B482DC6333FF049691094DD1F4E2');
CREATE TABLE spans (
  span INTEGER PRIMARY KEY,     -- the numbers of its entries, divided by 256
  last INTEGER NOT NULL,        -- the last entry that is counted here: those behind it are looked at in any case
  first_at INTEGER NOT NULL,    -- the times that they lie between: nanoseconds since 1970
  last_at INTEGER NOT NULL,
  kinds INTEGER NOT NULL,       -- kinds and effects: a bit for each pair
  marks BLOB NOT NULL           -- calls, approvals, sessions, agents and folders: a Bloom filter
) STRICT;
INSERT INTO "spans" VALUES(0,3,1800000000000000000,1800000002000000000,8232,X'0000000000000000000000000000000000000020000000000000000000000000010000014000000000400020020000000000000000000000000000000000008000000000000000000000001000000000000000000000010000000000000000400002000000000000000000002000000000000000000000000000000000000000000200000000000000001000000000000000008000000000020000000000000400000000000000000000000000000000000000009000000000000000000002000008000000000000000200000000000100000000000000000000000000000000000000000000000000000000100000000000000001000000000000000000000000000000000000000000000000000000040000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002080004000000000004000000000000000000000000000000000008000000000000000000000000000000000000000000000000400000000000000000000000000000000000000000000000000000000008004004000000000000000000000000000000000000000000100000004000000000000000000000000000000000000000000000000800000000000000080000000000000000000000000000200000000100080000000000000');
CREATE INDEX grants_owner ON grants (owner) WHERE owner IS NOT NULL;
CREATE INDEX approvals_pending ON approvals (asked_at) WHERE settled_at IS NULL;
CREATE INDEX approvals_settled ON approvals (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX offers_waiting ON offers (owner) WHERE replied = 0;
COMMIT;
