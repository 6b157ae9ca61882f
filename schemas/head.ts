// Documents that leave a ledger and attest to it elsewhere: its head, and the proof that it contains an event. icecore and
// other programs read both, so their formats are as binding as those of events.
import { z } from 'zod';
import { count, digest, moment, stream } from './primitives.ts';

export const headFormat = 'icecore-head/1';

const signature = z.strictObject({
  algorithm: z.literal('ed25519'),
  publicKey: z.string().describe('the 32 bytes of the key, in base64url'),
  value: z.string().describe('the signature of the canonical JSON of the head without this field, in base64url'),
});

export const head = z.strictObject({
  format: z.literal(headFormat),
  ledger: z.string().describe('the id of the ledger'),
  events: count.describe('number of events'),
  cursor: z.string().describe('the cursor of the last event'),
  root: digest.describe('of the Merkle tree (RFC 6962) over the digests of all events, in the order of the ledger'),
  at: moment.describe('when this head was made'),
  signature: signature.optional(),
});

/** The output of `icecore ledger head`: the state of a whole ledger, with the Merkle root over all its events. */
export type LedgerHead = z.infer<typeof head>;

export const proofFormat = 'icecore-proof/1';

const inclusion = z
  .strictObject({
    index: count.describe('the index of the leaf, from 0'),
    size: count.describe('number of leaves in the tree'),
    root: digest,
    path: z.array(digest).describe('the hash of the sibling at each level, from the leaf up'),
  })
  .describe('the path from a leaf of a Merkle tree to its root (RFC 6962, section 2.1.1)');

const provenEvent = z.strictObject({
  stream,
  revision: count,
  digest: digest.describe('the SHA-256 of `body`'),
  body: z.string().describe('the canonical JSON that was hashed and stored'),
});

export const proof = z.strictObject({
  format: z.literal(proofFormat),
  event: provenEvent,
  seal: z
    .strictObject({ by: provenEvent.describe('the EvidenceSealed that names the root'), inclusion })
    .nullable()
    .describe('from the event to the root of its sealed attempt; null: not sealed evidence'),
  ledger: z
    .strictObject({ head, inclusion })
    .describe("from the seal's event, or without a seal from the event itself, to the root of the whole ledger"),
});

/** The output of `icecore ledger prove`: the proof that an event is in a ledger with a given head. */
export type EventProof = z.infer<typeof proof>;
