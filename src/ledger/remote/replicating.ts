// Stores events as another ledger stored them, in the given order, so that an interrupted copy has no event that covers a missing
// one. Every event is checked before the first is sent.
import { streamPattern } from '../../../schemas/streams.ts';
import { DamagedEvent, Diverged, DuplicateId } from '../errors.ts';
import { uuidOf } from '../event.ts';
import { differences } from '../identity/sameness.ts';
import { type StoredEvent, skim } from '../stored.ts';
import { neverFirst } from './errors.ts';
import type { Position } from './log.ts';
import { type End, type Outgoing, requireNext } from './planning.ts';
import type { Calls } from './retry.ts';
import type { View, Writing } from './writing.ts';

export interface Original extends Outgoing {
  readonly stream: string;
  readonly previous: string | null;
}

const mostTries = 5;

/** Throws DamagedEvent. */
export function originalOf(event: StoredEvent): Original {
  const { stream, revision, body, digest, recordedMs, filedId: id } = event;
  if (!streamPattern.test(stream)) throw new DamagedEvent(stream, revision, 'a ledger has no stream of this name');
  return { stream, revision, body, digest, recordedMs, id, previous: skim(event).previous };
}

/** Returns the number of events that already existed, and the position of the last event of every affected stream. */
export async function replicate(
  calls: Calls,
  writing: Writing,
  originals: readonly Original[],
  signal: AbortSignal,
  stop: AbortSignal | undefined,
): Promise<{ readonly existed: number; readonly positions: readonly Position[] }> {
  const byStream = Map.groupBy(originals, ({ stream }) => stream);
  for (let tries = 0; tries < mostTries; tries++) {
    const views = new Map<string, View>();
    const missing = new Set<Original>();
    for (const [stream, own] of byStream) {
      const ids = own.map(({ id }) => id);
      const remembered = tries === 0 ? writing.remembered(stream, ids) : null;
      const continues = remembered !== null && own[0]?.revision === remembered.known.next;
      const view = continues ? remembered : await writing.look(stream, ids, signal);
      views.set(stream, view);
      for (const one of await missingOf(calls, stream, own, view, signal)) missing.add(one);
    }
    const rest = originals.filter((one) => missing.has(one));
    if (!(await sendAll(writing, rest, views, { signal, stop }))) continue;
    const positions = [...views.values()].flatMap(({ known: { lastEvent } }) => lastEvent?.position ?? []);
    return { existed: originals.length - missing.size, positions };
  }
  throw neverFirst(originals[0]?.stream ?? '', mostTries);
}

/** False: another writer appended to one of the streams meanwhile. */
async function sendAll(
  writing: Writing,
  missing: readonly Original[],
  views: ReadonlyMap<string, View>,
  signals: Parameters<Writing['send']>[3],
): Promise<boolean> {
  for (const run of runsOf(missing)) {
    const stream = run[0]?.stream ?? '';
    const answer = await writing.send(stream, (views.get(stream) as View).known, run, signals);
    if (answer?.kind === 'wrong-end') return false;
  }
  return true;
}

/** Consecutive events of one stream. */
function runsOf(originals: readonly Original[]): readonly (readonly Original[])[] {
  const runs: Original[][] = [];
  for (const one of originals) {
    const last = runs.at(-1);
    if (last?.[0]?.stream === one.stream) last.push(one);
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
  const there = originals.filter(({ revision }) => revision < known.next);
  const rest = originals.slice(there.length);
  const [from, to] = [there[0]?.revision, there.at(-1)?.revision];
  if (from !== undefined && to !== undefined) {
    const digests = new Map<number, string>();
    for await (const events of calls.readStream(stream, { from, to }, signal)) {
      for (const { revision, digest } of events) digests.set(revision, digest);
    }
    for (const { revision, digest } of there) {
      const found = digests.get(revision) ?? 'none';
      if (found !== digest) throw new Diverged(stream, revision, digest, found);
    }
  }
  let end: End = known;
  for (const original of rest) {
    requireNext(original, original, end);
    const { revision, id, body, digest } = original;
    end = { next: revision + 1, last: digest };
    const found = stored?.get(id);
    if (found === undefined) continue;
    const differs = differences(found.body, body);
    const place = { stream, revision: found.revision };
    throw new DuplicateId(uuidOf({ filedId: id }), place, differs.length === 0 ? ['revision'] : differs);
  }
  return rest;
}
