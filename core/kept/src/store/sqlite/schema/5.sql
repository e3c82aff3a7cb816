-- What stands in each 256 entries, so that a query passes by those without anything that it asks for. An index of its own for
-- each of these columns made most of what an entry cost.
CREATE TABLE spans (
  span INTEGER PRIMARY KEY,     -- the numbers of its entries, divided by 256
  last INTEGER NOT NULL,        -- the last entry that is counted here: those behind it are looked at in any case
  first_at INTEGER NOT NULL,    -- the times that they lie between: nanoseconds since 1970
  last_at INTEGER NOT NULL,
  kinds INTEGER NOT NULL,       -- kinds and effects: a bit for each pair
  marks BLOB NOT NULL           -- calls, approvals, sessions, agents and folders: a Bloom filter
) STRICT;
DROP INDEX record_at;
DROP INDEX record_call;
DROP INDEX record_approval;
DROP INDEX record_session;
DROP INDEX record_agent;
DROP INDEX record_kind;
