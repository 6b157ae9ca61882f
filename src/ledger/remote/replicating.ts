// Stores events as another ledger stored them, in the given order, so that an interrupted copy has no event that covers a missing
// one. Every event is checked before the first is sent.
import { streamPattern } from '../../../schemas/streams.ts';
import { DamagedEvent, Diverged, DuplicateId } from '../errors.ts';
import { uuidOf } from '../event.ts';
import { differences } from '../identity/sameness.ts';
import { type Skimmed, type StoredEvent, skim } from '../stored.ts';
import type { Calls } from './calls.ts';
import { neverFirst } from './errors.ts';
import type { Position } from './log.ts';
import { type Outgoing, requireNext } from './planning.ts';
import type { View, Writing } from './writing.ts';

export interface Original {
  readonly event: StoredEvent;
  readonly skimmed: Skimmed;
}

export interface Replication {
  /** The number of events that already existed. */
  readonly existed: number;
  /** The last event of every affected stream. */
  readonly positions: readonly Position[];
}

const mostTries = 5;

/** Throws DamagedEvent. */
export function originalsOf(events: readonly StoredEvent[]): readonly Original[] {
  return events.map((event) => {
    if (streamPattern.test(event.stream)) return { event, skimmed: skim(event) };
    throw new DamagedEvent(event.stream, event.revision, 'a ledger has no stream of this name');
  });
}

export async function replicate(
  calls: Calls,
  writing: Writing,
  originals: readonly Original[],
  signal: AbortSignal,
  stop: AbortSignal | undefined,
): Promise<Replication> {
  const byStream = Map.groupBy(originals, ({ event }) => event.stream);
  for (let tries = 0; tries < mostTries; tries++) {
    const views = new Map<string, View>();
    const missing = new Set<Original>();
    for (const [stream, own] of byStream) {
      const ids = own.map(({ event }) => event.filedId);
      const remembered = tries === 0 ? writing.remembered(stream, ids) : null;
      const continues = remembered !== null && own[0]?.event.revision === remembered.known.next;
      const view = continues ? remembered : await writing.look(stream, ids, signal);
      views.set(stream, view);
      for (const one of await missingOf(calls, stream, own, view, signal)) missing.add(one);
    }
    const positions = await sendAll(
      writing,
      originals.filter((one) => missing.has(one)),
      views,
      { signal, stop },
    );
    if (positions !== null) return { existed: originals.length - missing.size, positions };
  }
  throw neverFirst(originals[0]?.event.stream ?? '', mostTries);
}

/** Null: another writer appended to one of the streams meanwhile. */
async function sendAll(
  writing: Writing,
  missing: readonly Original[],
  views: ReadonlyMap<string, View>,
  signals: { readonly signal: AbortSignal; readonly stop: AbortSignal | undefined },
): Promise<readonly Position[] | null> {
  const ends = new Map([...views].map(([stream, { known }]) => [stream, known]));
  for (const run of runsOf(missing)) {
    const stream = run[0]?.event.stream ?? '';
    const known = ends.get(stream);
    if (known === undefined) continue;
    const sent = await writing.send(stream, known, run.map(outgoing), signals);
    if (sent.kind === 'wrong-end') return null;
    ends.set(stream, sent.known);
  }
  return [...ends.values()].flatMap(({ lastEvent }) => (lastEvent === null ? [] : [lastEvent.position]));
}

/** Consecutive events of one stream. */
function runsOf(originals: readonly Original[]): readonly (readonly Original[])[] {
  const runs: Original[][] = [];
  for (const one of originals) {
    const last = runs.at(-1);
    if (last?.[0]?.event.stream === one.event.stream) last.push(one);
    else runs.push([one]);
  }
  return runs;
}

/** The events that are not in the stream yet. Throws Diverged, WrongRevision, DuplicateId. */
async function missingOf(
  calls: Calls,
  stream: string,
  originals: readonly Original[],
  { known, stored }: View,
  signal: AbortSignal,
): Promise<readonly Original[]> {
  const there = originals.filter(({ event }) => event.revision < known.next);
  const rest = originals.slice(there.length);
  const [from, to] = [there[0]?.event.revision, there.at(-1)?.event.revision];
  if (from !== undefined && to !== undefined) {
    const digests = new Map<number, string>();
    for await (const events of calls.readStream(stream, { from, to }, signal)) {
      for (const { revision, digest } of events) digests.set(revision, digest);
    }
    for (const { event } of there) {
      const found = digests.get(event.revision) ?? 'none';
      if (found !== event.digest) throw new Diverged(stream, event.revision, event.digest, found);
    }
  }
  let { next, last } = known;
  for (const { event, skimmed } of rest) {
    requireNext(event, skimmed, { next, last });
    next = event.revision + 1;
    last = event.digest;
    const found = stored.get(event.filedId);
    if (found === undefined) continue;
    const differs = differences(found.body, event.body);
    const place = { stream, revision: found.revision };
    throw new DuplicateId(uuidOf(event), place, differs.length === 0 ? ['revision'] : differs);
  }
  return rest;
}

function outgoing({ event }: Original): Outgoing {
  const { revision, body, digest, recordedMs, filedId } = event;
  return { revision, body, digest, recordedMs, id: filedId };
}
