// Events for the contract: valid ones, distinguished by a number.
import { codeOf, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { eventId, eventIds, sha256 } from '../identity/ids.ts';
import type { Ledger } from '../ledger.ts';
import { AttemptTree, type SealedAttempt } from '../seal/attempt.ts';

/** The run of all samples, unless a stream of another run is given. */
export const run = 'c0ntractc0nt';
const at = '2026-01-02T03:04:05.678Z';

export const runStream = streamOf.run(run);
export const workStream = streamOf.work(run);
export const notesStream = streamOf.notes(run);
export const evidenceStream = streamOf.evidence(run, 2, 0, 1);

/** Streams of different runs, for events that may be in any of them. */
export const streams: readonly string[] = ['alpha', 'beta', 'gamma'].map(streamOf.notes);

const noteKind = 120;
const rolloutKind = 20;

export function noteIn(stream: string, index: number, text = `note ${index}`): NewEvent {
  const owner = stream.slice('notes-'.length);
  return {
    id: eventIds({ run: owner, stage: 0, kind: noteKind })(index),
    type: 'RunAnnotated',
    version: 1,
    at,
    actor: 'human/ada',
    run: owner,
    stage: null,
    causes: [],
    data: { note: text },
  };
}

export function note(index: number, text?: string): NewEvent {
  return noteIn(notesStream, index, text);
}

export function rolloutIn(stream: string, index: number): NewEvent<Record<string, unknown>> {
  const [, owner = '', stage] = stream.split('-');
  return {
    id: eventIds({ run: `${stream}`, stage: Number(stage), kind: rolloutKind })(index),
    type: 'RolloutRecorded',
    version: 1,
    at,
    actor: 'producer/rollouts',
    run: owner,
    stage: Number(stage),
    causes: [],
    data: {
      environment: 'lake',
      split: 'probe',
      family: String(3 + (index % 8)),
      sample: index % 8,
      policy: 'neural',
      outcome: index % 3 === 0 ? 'valid' : 'hole',
      reward: index % 3 === 0 ? 1.2 : 0,
      seed: index,
    },
  };
}

export function rollout(index: number): NewEvent<Record<string, unknown>> {
  return rolloutIn(evidenceStream, index);
}

export function someNotes(from: number, count: number): NewEvent[] {
  return Array.from({ length: count }, (_, i) => note(from + i));
}

export function someRollouts(from: number, count: number): NewEvent[] {
  return Array.from({ length: count }, (_, i) => rollout(from + i));
}

/** For the run's stream: attempts at the stage of `evidenceStream`. */
export function seal(attempts: readonly SealedAttempt[], index = 0): NewEvent {
  return {
    id: eventId({ run, stage: 2, kind: codeOf('EvidenceSealed'), index }),
    type: 'EvidenceSealed',
    version: versionOf('EvidenceSealed'),
    at,
    actor: 'producer/run',
    run,
    stage: 2,
    causes: [],
    data: { attempts },
  };
}

/** For the work stream: the attempt is finished. */
export function finished({ stream, count, root }: SealedAttempt): NewEvent {
  const name = parseStream(stream);
  if (name?.category !== 'evidence') throw new TypeError(`${stream} has no evidence`);
  const { run: owner, stage, part, attempt } = name;
  const index = Number.parseInt(sha256(stream).slice(0, 10), 16);
  return {
    id: eventId({ run: owner, stage, kind: codeOf('AttemptFinished'), index }),
    type: 'AttemptFinished',
    version: versionOf('AttemptFinished'),
    at,
    actor: 'producer/rollouts',
    run: owner,
    stage,
    causes: [],
    data: { part, attempt, count, root },
  };
}

/** Reports the attempt if the store requires it; it takes no more appends afterwards. */
export async function report(ledger: Ledger, stream: string = evidenceStream): Promise<void> {
  if (ledger.capabilities.attempts === 'open') return;
  // Any append, even an empty one, makes earlier events readable, since the writer itself may have been killed.
  await ledger.append(stream, [], { expect: 'any' });
  const attempt = await new AttemptTree(ledger, stream).seal();
  const event = finished(attempt);
  await ledger.append(streamOf.work(event.run ?? ''), [event], { expect: 'any' });
}
