// `ledger seal`, `head` and `prove`: seals for the evidence of a stage, digests of the whole ledger, and proofs of single events.
import type { EventProof, LedgerHead } from '../../../schemas/head.ts';
import type { SealResult } from '../../../schemas/output.ts';
import { makeHead, readPrivateKey, signHead } from '../../ledger/seal/head.ts';
import { proveEvent } from '../../ledger/verify/prove.ts';
import { readRun } from '../../producers/history/reading.ts';
import { sealStage } from '../../producers/trust/sealing.ts';
import { actorOf } from '../actor.ts';
import { findEvent } from '../opening/finder.ts';
import { withLedgerToChange, withLedgerToRead } from '../opening/ledger.ts';
import { nextStage, type StageReference } from '../reference.ts';
import { runNamed } from '../run-named.ts';
import { type Session, SessionProgress } from '../session.ts';
import { type GivenHead, type GivenText, keptHead } from './notes.ts';

/** Which attempts count, and who seals. */
export interface SealOptions {
  /** Attempts that count for their shards (default: the last attempt of each shard). */
  readonly attempt?: readonly { readonly shard: number; readonly attempt: number }[];
  /** The actor, as kind/identity (default: the user of this process). */
  readonly actor?: string;
}

export async function seal(
  session: Session,
  reference: StageReference,
  { attempt = [], actor }: SealOptions = {},
): Promise<SealResult> {
  const chosen = new Map(attempt.map(({ shard, attempt }) => [shard, attempt] as const));
  const who = actorOf(actor);
  return await withLedgerToChange(session, async (ledger) => {
    const found = await runNamed(session, ledger, reference.run);
    const { run } = found;
    // Evidence from other writers may belong to stages that no event of the run names.
    const stage = reference.stage === 'next' ? nextStage(await readRun(ledger, found)) : reference.stage;
    const sealed = await sealStage(ledger, { run, stage, actor: who, chosen });
    return { ledger: ledger.url, run, stage, ...sealed, attempts: [...sealed.attempts] };
  });
}

/** How to sign a head. */
export interface HeadOptions {
  /** Sign it with this ed25519 private key (PEM). */
  readonly sign?: GivenText;
}

/** The digest of the whole ledger, to be stored elsewhere. */
export async function head(session: Session, { sign }: HeadOptions = {}): Promise<LedgerHead> {
  const key = sign === undefined ? null : readPrivateKey(sign.text, sign.name ?? 'the key');
  return await withLedgerToRead(session, async (ledger) => {
    const progress = new SessionProgress(session, 'events');
    try {
      const made = await makeHead(ledger, async (done, of) => {
        session.signal.throwIfAborted();
        await progress.update(done, of);
      });
      return key === null ? made : signHead(made, key);
    } finally {
      await progress.end();
    }
  });
}

/** The head of a proof. */
export interface ProveOptions {
  /** Prove inclusion in this stored head (default: the current head). */
  readonly head?: GivenHead;
}

/** A proof that one event is in the ledger, which anyone can check with SHA-256 alone. */
export async function prove(session: Session, reference: string, { head }: ProveOptions = {}): Promise<EventProof> {
  const kept = head === undefined ? null : keptHead(head);
  return await withLedgerToRead(session, async (ledger) =>
    proveEvent(ledger, await findEvent(session, ledger, reference), kept?.head ?? null),
  );
}
