// Whether a bundle holds what belongs to its run and nothing else, and whether it would add events to what is here already.
// A bundle is only data of somebody's: it must not write into other runs under the name of one.
import type { BundledRun, BundleManifest } from '../../../../schemas/bundle.ts';
import { parseStream, streamOf } from '../../../../schemas/streams.ts';
import { Answers } from '../../../ledger/copy/answers.ts';
import { requireSame } from '../../../ledger/copy/compare.ts';
import { type Extension, idTaken, runsExtended } from '../../../ledger/copy/errors.ts';
import { DuplicateId } from '../../../ledger/errors.ts';
import { uuidOf } from '../../../ledger/event.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { scopeOf } from '../../../ledger/redactions.ts';
import { contentsOf } from './contents.ts';
import { BundleRefused } from './errors.ts';
import { manifestName } from './manifest.ts';

/** Throws BundleRefused. */
export async function requireBelonging(staged: Ledger, manifest: BundleManifest): Promise<void> {
  const { ancestors, missing, ablations, streams } = await contentsOf(staged, manifest.run);
  requireTheSame('ancestors', manifest.ancestors.map(runOf), ancestors.map(runOf));
  requireTheSame('missing ancestors', manifest.missing, missing);
  requireTheSame('ablations', manifest.ablations, ablations);
  const belonging = new Set(streams);
  const answers = await answersOf(staged, streams);
  for await (const ends of staged.streams()) {
    for (const { stream } of ends) {
      if (belonging.has(stream) || answers.has(stream)) continue;
      const what =
        parseStream(stream)?.category === 'answer' ? 'an answer that nothing in it rests on' : 'no part of its run';
      throw new BundleRefused(stream, `it is ${what}`, {
        remedy: 'Nothing was imported. icecore export bundle packs no such events.',
      });
    }
  }
}

function runOf({ run }: BundledRun): string {
  return run;
}

function requireTheSame(what: string, claimed: readonly string[], found: readonly string[]): void {
  const [a, b] = [[...claimed].sort().join(', '), [...found].sort().join(', ')];
  if (a !== b) throw new BundleRefused(manifestName, `it names as ${what}: ${a || 'none'}; its events: ${b || 'none'}`);
}

async function answersOf(staged: Ledger, streams: readonly string[]): Promise<ReadonlySet<string>> {
  const answers = new Answers(staged, null);
  for await (const events of staged.readAll({ streams })) await drain(answers.restedOnBy(events));
  // An answer may rest on another.
  for (const before = new Set<string>(); ; ) {
    const fresh = Array.from(answers.parts(), ({ stream }) => stream).filter((stream) => !before.has(stream));
    if (fresh.length === 0) return before;
    for (const stream of fresh) {
      before.add(stream);
      for await (const events of staged.read(stream)) await drain(answers.restedOnBy(events));
    }
  }
}

async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

const remedy =
  'Nothing was imported. Where an import was stopped, or the bundle was made anew by somebody you trust with that run, --extend adds them.';

/** Throws RunsExtended, where there are any and that is not meant, and Diverged where something else is here. */
export async function requireMeant(staged: Ledger, here: Ledger, isMeant: boolean): Promise<readonly Extension[]> {
  const found = await extensions(staged, here);
  if (found.length > 0 && !isMeant) throw runsExtended('the bundle', here.url, found, remedy);
  return found;
}

async function extensions(staged: Ledger, here: Ledger): Promise<readonly Extension[]> {
  const counts = new Map<string, number>();
  for await (const ends of staged.streams()) for (const { stream, revision } of ends) counts.set(stream, revision + 1);
  const scopes = new Set<string>();
  for await (const ends of here.streams()) {
    for (const { stream, revision } of ends) {
      scopes.add(scopeOf(stream));
      const count = counts.get(stream);
      if (count === undefined) continue;
      await requireSame(staged, here, { stream });
      counts.set(stream, Math.max(0, count - revision - 1));
    }
  }
  const added = new Map<string, number>();
  for (const [stream, count] of counts) {
    const of = scopeOf(stream);
    if (count > 0 && scopes.has(of)) added.set(of, (added.get(of) ?? 0) + count);
  }
  return Array.from(added, ([of, events]) => ({ of, events }));
}

/** The answers that are not here yet. */
export async function newAnswers(staged: Ledger, here: Ledger): Promise<number> {
  const prefix = streamOf.answer('');
  const there = new Set<string>();
  for await (const ends of here.streams(prefix)) for (const { stream } of ends) there.add(stream);
  let count = 0;
  for await (const ends of staged.streams(prefix)) count += ends.filter(({ stream }) => !there.has(stream)).length;
  return count;
}

const idsAtOnce = 100_000;

/** Before anything is written. Throws IdTaken where an id in the bundle is that of another event here. */
export async function requireFreeIds(staged: Ledger, here: Ledger): Promise<void> {
  const { events } = await here.head();
  if (events === 0 || here.capabilities.ids !== 'ledger') return;
  let ids = new Map<string, string>();
  for await (const batch of staged.readAll()) {
    for (const { filedId, stream, revision } of batch) ids.set(filedId, `${stream}@${revision}`);
    if (ids.size < idsAtOnce) continue;
    await requireFree(ids, here);
    ids = new Map();
  }
  await requireFree(ids, here);
}

async function requireFree(ids: ReadonlyMap<string, string>, here: Ledger): Promise<void> {
  for await (const events of here.readAll()) {
    for (const event of events) {
      const place = ids.get(event.filedId);
      if (place === undefined || place === `${event.stream}@${event.revision}`) continue;
      throw idTaken(new DuplicateId(uuidOf(event), event, ['stream', 'revision']), here);
    }
  }
}
