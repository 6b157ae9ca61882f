// Seals the evidence of a stage: one `EvidenceSealed` in the run's stream names the attempts that count, with the
// Merkle root over each. Of several attempts at one part the last counts, unless another is chosen; of reported
// attempts that follow each other, all count.
import { codeOf, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { isShard, parseStream, streamOf } from '../../../schemas/streams.ts';
import { countedEvents, placeOf } from '../../ledger/event.ts';
import { eventId } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { streamsOfRun } from '../../ledger/runs.ts';
import { AttemptTree, type SealedAttempt, sealBeginning } from '../../ledger/seal/attempt.ts';
import { ShardLeases } from '../run/shards/leases.ts';

export interface SealOptions {
  readonly run: string;
  readonly stage: number;
  readonly actor: string;
  /** The attempt that counts for each shard; the last one by default. */
  readonly chosen: ReadonlyMap<number, number>;
}

export interface Sealed {
  readonly event: string;
  readonly stream: string;
  readonly revision: number;
  /** False if the same seal already existed. */
  readonly isNew: boolean;
  readonly attempts: readonly SealedAttempt[];
}

/** Throws NothingToSeal, AlreadySealed. */
export async function sealStage(ledger: Ledger, sealing: SealOptions): Promise<Sealed> {
  const { run, stage } = sealing;
  const counting = await countingAttempts(ledger, sealing);
  if (counting.length === 0) throw new NothingToSeal(run, stage);
  const attempts = await Promise.all(
    counting.map(({ stream, count }) =>
      count === null ? new AttemptTree(ledger, stream).seal() : sealBeginning(ledger, stream, count),
    ),
  );
  const stream = streamOf.run(run);
  const before = await sealBefore(ledger, stream, stage);
  if (before !== null) {
    const changes = changesSince(before.attempts, attempts);
    if (changes.length > 0) throw new AlreadySealed(sealing, before, changes);
    return { event: before.id, stream, revision: before.revision, isNew: false, attempts: before.attempts };
  }
  const event = sealEvent(sealing, attempts);
  const { revision } = await ledger.append(stream, [event], { expect: 'any' });
  return { event: event.id, stream, revision, isNew: true, attempts };
}

/** Null: all of its events. */
interface Counting {
  readonly stream: string;
  readonly count: number | null;
}

async function countingAttempts(ledger: Ledger, { run, stage, chosen }: SealOptions): Promise<Counting[]> {
  const leases = new ShardLeases(ledger, run);
  await leases.read();
  const last = new Map<string, number>();
  for await (const { stream } of streamsOfRun(ledger, run)) {
    const name = parseStream(stream);
    if (name?.category !== 'evidence' || name.stage !== stage) continue;
    const wanted = name.shard === null ? undefined : chosen.get(name.shard);
    if (wanted === undefined ? name.attempt >= (last.get(name.part) ?? 0) : name.attempt === wanted) {
      last.set(name.part, name.attempt);
    }
  }
  for (const [shard, attempt] of chosen) {
    if (last.get(String(shard)) !== attempt) throw new NoSuchAttempt(streamOf.evidence(run, stage, shard, attempt));
  }
  return [...last]
    .sort(([a], [b]) => byPart(a, b))
    .flatMap(([part, attempt]): Counting[] => {
      const finished = chosen.has(Number(part)) ? [] : leases.finishedAt(stage, part);
      const streamAt = (of: number): string => streamOf.evidence(run, stage, part, of);
      if (finished.length === 0) return [{ stream: streamAt(attempt), count: null }];
      return finished.map((one) => ({ stream: streamAt(one.attempt), count: one.counting }));
    });
}

/** Shards in order, then the others by name. */
function byPart(one: string, other: string): number {
  if (isShard(one) && isShard(other)) return Number(one) - Number(other);
  return one < other ? -1 : 1;
}

interface Before {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly actor: string;
  readonly attempts: readonly SealedAttempt[];
}

async function sealBefore(ledger: Ledger, stream: string, stage: number): Promise<Before | null> {
  for await (const events of ledger.readAll({ streams: [stream], types: ['EvidenceSealed'] })) {
    for (const { envelope, reading, revision } of events) {
      if (envelope.stage !== stage || !reading.known || reading.type !== 'EvidenceSealed') continue;
      const attempts = reading.data.attempts.map(({ stream, count, root }) => ({ stream, count, root }));
      return { id: envelope.id, stream, revision, actor: envelope.actor, attempts };
    }
  }
  return null;
}

/** How the attempts to seal differ from the sealed ones, regardless of their order. */
function changesSince(sealed: readonly SealedAttempt[], attempts: readonly SealedAttempt[]): readonly string[] {
  const before = new Map(sealed.map((attempt) => [attempt.stream, attempt]));
  const changes = attempts.flatMap(({ stream, count, root }) => {
    const seal = before.get(stream);
    before.delete(stream);
    if (seal === undefined) return [`${stream} is not in the seal`];
    if (seal.count < count) return [`${stream} has ${countedEvents(count - seal.count)} after the seal`];
    return seal.root === root ? [] : [`${stream} no longer has the events that were sealed`];
  });
  return [...changes, ...Array.from(before.keys(), (stream) => `${stream} was sealed and would be left out`)];
}

function sealEvent(
  { run, stage, actor }: SealOptions,
  attempts: readonly SealedAttempt[],
): NewEventOf<'EvidenceSealed'> {
  return {
    id: eventId({ run, stage, kind: codeOf('EvidenceSealed'), index: 0 }),
    type: 'EvidenceSealed',
    version: versionOf('EvidenceSealed'),
    at: new Date().toISOString(),
    actor,
    run,
    stage,
    causes: [],
    data: { attempts },
  };
}

class NothingToSeal extends IcecoreError {
  override readonly name = 'NothingToSeal';

  constructor(run: string, stage: number) {
    super('not-found', `run ${run} has no evidence of stage ${stage}`, {
      facts: { run, stage },
      remedy: `Evidence is in streams named evidence-${run}-${stage}-PART-ATTEMPT.`,
    });
  }
}

class NoSuchAttempt extends IcecoreError {
  override readonly name = 'NoSuchAttempt';

  constructor(stream: string) {
    super('not-found', `there is no attempt ${stream}`, { facts: { stream } });
  }
}

class AlreadySealed extends IcecoreError {
  override readonly name = 'AlreadySealed';

  constructor({ run, stage }: SealOptions, { actor, attempts, ...at }: Before, changes: readonly string[]) {
    const by = placeOf(at);
    const events = countedEvents(attempts.reduce((sum, { count }) => sum + count, 0));
    const sealed = `${actor} sealed stage ${stage} of run ${run} already, in ${by}: ${events} of ${attempts.length} attempt${attempts.length === 1 ? '' : 's'}`;
    const more =
      changes.length > 1 ? ` (and ${changes.length - 1} more difference${changes.length > 2 ? 's' : ''})` : '';
    super('conflict', `${sealed}. ${changes[0]}${more}`, {
      facts: { run, stage, by, actor, changes: changes.slice(0, mostChanges), of: changes.length },
      remedy:
        'A stage is sealed once, and that seal counts. Sealed evidence needs no action; evidence outside the seal ' +
        'counts only in another stage: append it there. icecore verify lists it.',
    });
  }
}

/** A few differences are enough if all of a stage's evidence differs. */
const mostChanges = 100;
