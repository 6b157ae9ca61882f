// What the index of a ledger in Kafka is asked, in SQL.

const spanColumns = `first_revision AS firstRevision, last_revision AS lastRevision,
  first_offset AS firstOffset, last_offset AS lastOffset`;

export const queries = {
  lanes: 'SELECT next, events, latest FROM lanes ORDER BY lane',
  stream: 'SELECT stream, name, lane, next, last, epoch, session, at FROM streams WHERE name = ? AND next > 0',
  streams: `SELECT name, lane, next, at FROM streams
    WHERE name >= ? AND name < ? AND name > ? AND next > 0 ORDER BY name LIMIT 1000`,
  spans: `SELECT ${spanColumns} FROM spans
    WHERE stream = ? AND first_revision >= coalesce(
      (SELECT max(first_revision) FROM spans WHERE stream = ? AND first_revision <= ?), 0) AND first_revision <= ?
    ORDER BY first_revision LIMIT ?`,
  spansBack: `SELECT ${spanColumns} FROM spans WHERE stream = ? AND first_revision <= ? AND last_revision >= ?
    ORDER BY first_revision DESC LIMIT ?`,
  offsets: `SELECT first_offset AS first, last_offset AS last FROM spans
    WHERE stream = ? AND last_offset >= ? AND first_offset < ? ORDER BY first_revision`,
  refusedIn: 'SELECT first, count FROM refused WHERE lane = ? AND first >= ? AND first < ?',
  refusedBefore: `SELECT first, count FROM refused WHERE lane = ? AND first < ? ORDER BY first DESC LIMIT 1`,
  refused: `SELECT refused.*, rejected.why AS because, first < copied AS isCopied
    FROM refused JOIN lanes USING (lane) LEFT JOIN rejected USING (lane, first)
    WHERE lane = ? AND first > ? ORDER BY first LIMIT 1000`,
  rejected: 'SELECT coalesce(sum(count), 0) AS count FROM rejected',
  lanesToCopy:
    'SELECT lane FROM lanes WHERE EXISTS (SELECT 1 FROM rejected WHERE lane = lanes.lane AND first >= copied)',
  toCopy: `SELECT first, why FROM rejected JOIN lanes USING (lane)
    WHERE lane = ? AND first >= copied ORDER BY first LIMIT 1000`,
  noteCopied: 'UPDATE lanes SET copied = max(copied, ?) WHERE lane = ?',
  blocks: `SELECT first, time, before FROM blocks WHERE lane = ? AND first >= coalesce(
      (SELECT max(first) FROM blocks WHERE lane = ? AND first <= ?), 0) AND first < ? ORDER BY first`,
  laterBlock: `SELECT min(first) AS first FROM blocks WHERE lane = ? AND (time > ? OR (time = ? AND lane > ?))`,
  idIn: 'SELECT revision FROM ids WHERE id = ? AND stream = ?',
  zoneOfId: `SELECT first_revision AS "from", last_revision AS "to", high FROM zones
    WHERE stream = ? AND low <= ? ORDER BY low DESC LIMIT 1`,
  families: 'SELECT family, high FROM families WHERE stream = ?',
  idsLike: `SELECT name AS stream, revision AS "from", revision AS "to" FROM ids JOIN streams USING (stream)
    WHERE id BETWEEN ? AND ? LIMIT ?`,
  zonesLike: `SELECT name AS stream, first_revision AS "from", last_revision AS "to" FROM zones JOIN streams USING (stream)
    WHERE low <= ? AND high >= ?`,
} as const;
