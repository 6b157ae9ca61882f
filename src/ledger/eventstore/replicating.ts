// Storing events as another ledger stored them, in the order in which they come: the order of the whole ledger is then the same,
// and what breaks off in between leaves nothing that vouches for what is not there. Everything is looked at before
// anything is sent.
import { isChained, streamPattern } from '../../../schemas/streams.ts';
import { DamagedEvent, Diverged, DuplicateId, WrongRevision } from '../errors.ts';
import { uuidOf } from '../event.ts';
import { differences } from '../identity/sameness.ts';
import { NeverFirst } from '../remote/errors.ts';
import { Highs } from '../remote/families.ts';
import type { End } from '../remote/planning.ts';
import { type Skimmed, type StoredEvent, skim } from '../stored.ts';
import type { Outgoing } from './wire.ts';
import type { Parts } from './writing.ts';

export interface Wanted {
  readonly event: StoredEvent;
  readonly skimmed: Skimmed;
}

export interface Replicated {
  /** How many of the events were there already. */
  readonly existed: number;
  /** Everything of it stands at or before this position. */
  readonly position: number;
}

const mostTries = 5;

/** Throws DamagedEvent. */
export function wantedOf(events: readonly StoredEvent[]): readonly Wanted[] {
  return events.map((event) => {
    if (streamPattern.test(event.stream)) return { event, skimmed: skim(event) };
    throw new DamagedEvent(event.stream, event.revision, 'its stream is none of a ledger');
  });
}

export async function replicate(parts: Parts, wanted: readonly Wanted[], signal: AbortSignal): Promise<Replicated> {
  const streams = Map.groupBy(wanted, ({ event }) => event.stream);
  const isOwn = [...streams].every(([stream, own]) => goesOn(parts, stream, own));
  for (let tries = 0; tries < mostTries; tries++) {
    await parts.catchingUp.proven();
    if (tries > 0 || !isOwn) {
      for (const stream of streams.keys()) parts.own.forget(stream);
      await parts.catchingUp.toNow(signal);
    }
    const missing = new Set([...streams].flatMap(([stream, own]) => missingOf(parts, stream, own)));
    const position = await sent(parts, runsOf(wanted.filter((one) => missing.has(one))), signal);
    if (position !== null) return { existed: wanted.length - missing.size, position };
  }
  throw new NeverFirst(wanted[0]?.event.stream ?? '', mostTries);
}

/** Whether this ledger wrote the stream last, and all of this is new behind it: the server is not asked then. */
function goesOn({ own }: Parts, stream: string, wanted: readonly Wanted[]): boolean {
  const known = own.of(stream);
  if (known === null || (wanted[0]?.event.revision ?? 0) < known.next) return false;
  return known.highs.areNew(wanted.map(({ event }) => event.filedId));
}

type Run = readonly [Wanted, ...Wanted[]];

/** As they stand, those of one stream together that come one behind the other. */
function runsOf(wanted: readonly Wanted[]): readonly Run[] {
  const runs: [Wanted, ...Wanted[]][] = [];
  for (const one of wanted) {
    const last = runs.at(-1);
    if (last !== undefined && last[0].event.stream === one.event.stream) last.push(one);
    else runs.push([one]);
  }
  return runs;
}

/** The position behind which nothing of it stands. Null where somebody else wrote one of the streams meanwhile. */
async function sent(parts: Parts, runs: readonly Run[], signal: AbortSignal): Promise<number | null> {
  let position: number | null = parts.mirror.reading.lastPosition();
  for (const run of runs) {
    const { stream, revision } = run[0].event;
    const before = parts.own.of(stream);
    // What breaks off leaves nothing known of where it ends.
    parts.own.forget(stream);
    await parts.keeping.require(stream, signal);
    const sent = await parts.sending.send(stream, revision - 1, run.map(outgoing), signal);
    if ('refusedBehind' in sent) return null;
    position = sent.position;
    const last = run.at(-1)?.event;
    const highs = (before?.highs ?? new Highs()).with(run.map(({ event }) => event.filedId));
    parts.own.remember(stream, { next: revision + run.length, last: last?.digest ?? null, highs });
  }
  if (position !== null) return position;
  await parts.catchingUp.toNow(signal);
  return parts.mirror.reading.lastPosition();
}

/** What of a stream is not there yet. Throws Diverged, WrongRevision, DuplicateId. */
function missingOf({ mirror, own }: Parts, stream: string, wanted: readonly Wanted[]): readonly Wanted[] {
  const end = own.of(stream) ?? mirror.endOf(stream);
  const there = wanted.filter(({ event }) => event.revision < end.next);
  const rest = wanted.slice(there.length);
  requireSame(mirror, stream, there);
  requireContinuing(stream, end, rest);
  const stored = mirror.stored(
    stream,
    rest.map(({ event }) => event.filedId),
  );
  for (const { event } of rest) {
    const found = stored.get(event.filedId);
    if (found === undefined) continue;
    const differs = differences(found.body, event.body);
    const place = { stream, revision: found.revision };
    throw new DuplicateId(uuidOf(event), place, differs.length === 0 ? ['revision'] : differs);
  }
  return rest;
}

function requireSame(mirror: Parts['mirror'], stream: string, there: readonly Wanted[]): void {
  const [first, last] = [there[0]?.event.revision, there.at(-1)?.event.revision];
  if (first === undefined || last === undefined) return;
  const digests = new Map(mirror.eventsOf(stream, first, last).map(({ revision, digest }) => [revision, digest]));
  for (const { event } of there) {
    const found = digests.get(event.revision) ?? 'none';
    if (found !== event.digest) throw new Diverged(stream, event.revision, event.digest, found);
  }
}

function requireContinuing(stream: string, end: End, rest: readonly Wanted[]): void {
  let { next, last } = end;
  for (const { event, skimmed } of rest) {
    if (event.revision !== next) throw new WrongRevision(stream, event.revision - 1, next - 1);
    if (isChained(stream) && skimmed.previous !== last) {
      throw new Diverged(stream, next - 1, skimmed.previous ?? 'none', last ?? 'none');
    }
    next = event.revision + 1;
    last = event.digest;
  }
}

function outgoing({ event }: Wanted): Outgoing {
  const { id, type, run, causes } = event.envelope;
  return { body: event.body, digest: event.digest, event: { id, type, run, causes }, recordedMs: event.recordedMs };
}
