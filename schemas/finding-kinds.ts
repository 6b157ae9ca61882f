// What a verification can find. Programs that read its report know it by these words.

/** The ledger is not what was written to it. */
export const faultKinds = [
  'altered', // its bytes are not those that were hashed
  'misfiled', // it is filed as something else than its bytes say
  'malformed', // its bytes are no event, or not what the catalogue asks of its type
  'chain-broken', // it does not continue the event before it
  'reordered', // it stands before what it follows
  'missing', // an event that must be there is not
  'seal-broken', // an attempt is not what was sealed
  'cause-broken', // a cited span of a stream is not what was cited
  'blob-missing',
  'blob-damaged',
  'blob-not-erased', // it was redacted, nothing else names it, and it is still there
  'unreadable',
  'store', // the store itself is at fault: an index, a page
  'cut-off', // the head knows more events than there are
  'head-differs', // the head knows other events than there are
  'tables-differ', // a table that SQL asks is not what the ledger fills it with
  'recomputed-rollout', // what became of a rollout is not what its environment says of it
  'recomputed-failure', // how a rollout failed is not what its environment says of it
  'recomputed-training', // the figures of a training are not what its rollouts add up to
  'recomputed-evaluation', // the figures of an evaluation are not what its rollouts add up to
  'recomputed-summary', // a summary is not what its evidence adds up to
  'recomputed-context', // a context is not what is built from the history before it
  'recomputed-scores', // the scores of a proposal are not what they come to
  'recomputed-decision', // a decision is not what follows from those before it
] as const;

/** Worth knowing, and no fault. */
export const noticeKinds = [
  'redacted',
  'redaction-ignored', // a Redacted event without the authority to redact what it names
  'after-seal', // evidence behind a seal: it does not count
  'lost-attempt', // evidence of an attempt that was not sealed with its stage
  'unsealed', // evidence nothing vouches for yet
  'unknown-type',
  'tables-altered', // something else than icecore changed the tables, or made them: they are not used
  'tables-outdated', // the tables were made of other events than the ledger holds now
  'unsupported', // figures without the rollouts that they are of
  'not-recomputed', // events that could not be computed again
  'cited-elsewhere', // a span of a stream that is not in this ledger
] as const;

export const findingKinds = [...faultKinds, ...noticeKinds] as const;
