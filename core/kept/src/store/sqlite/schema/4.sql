-- That a server gives no instructions is pinned as well as what they say: of those that were known before and gave none, too.
INSERT INTO pins (server, kind, name, trusted, first_seen)
SELECT server, 'instructions', '',
  '{"value":null,"digest":"74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"}', first_seen
FROM pins AS launch
WHERE kind = 'launch' AND NOT EXISTS (
  SELECT 1 FROM pins WHERE server = launch.server AND kind = 'instructions'
);
