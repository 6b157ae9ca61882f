// The kinds of findings of a verification. Programs that read its report rely on these words.

/** Faults: the ledger is not what was written to it. */
export const faultKinds = [
  'altered', // the bytes are not those that were hashed
  'misfiled', // the place in the store contradicts the bytes
  'malformed', // the bytes are no valid event of its type
  'chain-broken', // it does not continue the event before it
  'reordered', // it comes before the event it follows
  'missing', // a required event is missing
  'seal-broken', // an attempt differs from what was sealed
  'cause-broken', // a cited range of a stream differs from what was cited
  'blob-missing',
  'blob-damaged',
  'blob-not-erased', // the blob was redacted and nothing else names it, but it still exists
  'unreadable',
  'store', // the store itself is damaged: an index, a page
  'cut-off', // the ledger has fewer events than the head
  'head-differs', // the first events of the ledger are not those of the head, or have another order
  'tables-differ', // a SQL table differs from what the ledger contains
  'recomputed-rollout', // the outcome of a rollout differs from the judgement of its environment
  'recomputed-failure', // the failures of a rollout differ from the judgement of its environment
  'recomputed-training', // the figures of a training differ from those of its rollouts
  'recomputed-evaluation', // the figures of an evaluation differ from those of its rollouts
  'recomputed-summary', // a summary differs from its evidence
  'recomputed-context', // a context differs from one built from the history before it
  'recomputed-scores', // the scores of a proposal differ from recomputed ones
  'recomputed-decision', // a decision does not follow from those before it, or a proposal from its model's answer
] as const;

/** Notices: worth knowing, but no fault. */
export const noticeKinds = [
  'redacted',
  'redaction-ignored', // a Redacted event has no authority over what it names
  'after-seal', // evidence after a seal, which does not count
  'lost-attempt', // evidence of an attempt that was not sealed with its stage
  'unsealed', // evidence that no seal covers yet
  'unknown-type',
  'tables-altered', // a program other than icecore created or changed the tables, so they are not used
  'tables-outdated', // the tables were made from other events than the ledger contains now
  'unsupported', // figures without the rollouts they are based on
  'not-recomputed', // events that could not be recomputed
  'cited-elsewhere', // a range of a stream that is not in this ledger
] as const;

export const findingKinds = [...faultKinds, ...noticeKinds] as const;
