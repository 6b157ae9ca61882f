// Several versions of icecore work on one ledger and one file of tables: each records what it knows, and each has
// correct tables whatever the others left, or reports which events it does not know.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { tableDigests } from '../digests.ts';
import { Events, type Kind, type Version, type VersionName, versions } from '../testing/versions.ts';
import { reading, within } from '../warehouse/holding.ts';
import { rowsOf } from './layout.ts';
import { type Projected, project } from './projector.ts';
import type { Source } from './source.ts';

type Step =
  | { readonly by: VersionName; readonly does: 'append'; readonly kinds: readonly Kind[] }
  | { readonly by: VersionName; readonly does: 'fill' | 'fill, broken off' | 'rebuild' };

const by = fc.constantFrom(...(Object.keys(versions) as VersionName[]));
const kinds = fc.array(fc.constantFrom<Kind>('rollout', 'rollout', 'note', 'moon'), { minLength: 1, maxLength: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ by, does: fc.constant('append' as const), kinds }) },
  { weight: 4, arbitrary: fc.record({ by, does: fc.constant('fill' as const) }) },
  { weight: 1, arbitrary: fc.record({ by, does: fc.constantFrom('fill, broken off' as const, 'rebuild' as const) }) },
);

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-upgrades-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Small, so that refilling takes several transactions. */
const limits = { events: 7, characters: 1_000_000 };

async function fill(events: Events, tables: string, { catalogue }: Version, rebuild = false): Promise<Projected> {
  return await project(events, tables, { catalogue, limits, rebuild });
}

/** As by a process that is killed after some batches. */
async function fillInPart(events: Events, tables: string, { catalogue }: Version): Promise<void> {
  const stop = new AbortController();
  const all = events.readAll.bind(events);
  const stopping: Source = {
    id: events.id,
    read: (stream, options) => events.read(stream, options),
    readAll: async function* (options) {
      let pages = 0;
      for await (const page of all(options)) {
        if (options.limit === undefined && ++pages > 3) stop.abort();
        yield page;
      }
    },
  };
  await project(stopping, tables, { catalogue, limits, signal: stop.signal }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
}

interface Counts {
  readonly events: number;
  readonly rollouts: number;
  /** By mood; none if the version has no such column. */
  readonly moods: Readonly<Record<string, number>>;
  readonly moons: number;
  /** Those in table `events` that would be in another table if they were known. */
  readonly unknown: Readonly<Record<string, number>>;
}

/** The sums of the events, as a version reads them. */
function expectedBy({ catalogue: { types }, mood, hasMoons }: Version, { all }: Events): Counts {
  const isKnown = (type: string, version: number): boolean => version <= (types.get(type)?.versions.length ?? 0);
  const read = all.map(({ type, envelope }) => ({ type, version: envelope.version, data: envelope.data }));
  const unknown = read.filter(({ type, version }) => !isKnown(type, version));
  const rollouts = read.filter(({ type, version }) => type === 'RolloutRecorded' && isKnown(type, version));
  const moods = rollouts.map(({ version }) => (version === 1 ? mood : 'bright'));
  return {
    events: all.length - rollouts.length,
    rollouts: rollouts.length,
    moods: mood === null ? {} : tally(moods.map(String)),
    moons: hasMoons ? read.filter(({ type }) => type === 'MoonRisen').length : 0,
    unknown: tally(unknown.map(({ type, version }) => `${type} ${version}`)),
  };
}

function tally(words: readonly string[]): Readonly<Record<string, number>> {
  const all = Map.groupBy(words, (word) => word);
  return Object.fromEntries(Array.from(all, ([word, same]) => [word, same.length]));
}

async function countedIn({ path, unknown }: Projected, { mood, hasMoons }: Version): Promise<Counts> {
  return await within(path, reading, {}, async (connection) => {
    const count = async (from: string): Promise<number> =>
      Number((await rowsOf(connection, `SELECT count(*) AS n FROM ${from}`))[0]?.['n']);
    const moods = mood === null ? [] : await rowsOf(connection, 'SELECT mood FROM log.rollouts');
    const distinct = '(SELECT DISTINCT stream, revision FROM log.events)';
    expect(await count('log.events')).toBe(await count(distinct));
    return {
      events: await count('log.events'),
      rollouts: await count('log.rollouts'),
      moods: tally(moods.map((row) => String(row['mood']))),
      moons: hasMoons ? await count('log.moons') : 0,
      unknown: Object.fromEntries(unknown.map(({ type, version, events }) => [`${type} ${version}`, events])),
    };
  });
}

it('every count is correct in every version, in any order of recording and filling', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), by, async (steps, last) => {
      const folder = temporary();
      const tables = join(folder, 'ledger.tables');
      const events = new Events();
      const all: readonly Step[] = [...steps, { by: last, does: 'fill' }];
      for (const step of all) {
        const version = versions[step.by];
        if (step.does === 'append') events.append(version, step.kinds);
        else if (step.does === 'fill, broken off') await fillInPart(events, tables, version);
        else {
          const done = await fill(events, tables, version, step.does === 'rebuild');
          expect(await countedIn(done, version)).toEqual(expectedBy(version, events));
        }
      }
      const [kept, rebuilt] = [await fill(events, tables, versions[last]), join(folder, 'anew')];
      const { path } = await fill(events, rebuilt, versions[last]);
      expect(await tablesIn(kept.path)).toEqual(await tablesIn(path));
    }),
    { numRuns: 5 },
  );
}, 120_000);

/** The ends of batches do not matter. */
async function tablesIn(path: string): Promise<Readonly<Record<string, string>>> {
  const { 'log.cursors': _, ...digests } = await tableDigests(path, 'tables');
  return digests;
}

it('tables of another version are refilled once, if their source differs', async () => {
  const tables = join(temporary(), 'ledger.tables');
  const events = new Events();
  events.append(versions.old, ['rollout', 'note', 'rollout']);
  events.append(versions.new, ['rollout', 'moon']);
  const remade = async (name: VersionName): Promise<readonly string[]> =>
    (await fill(events, tables, versions[name])).remade;
  expect(await remade('old')).toEqual([]);
  expect(await remade('old')).toEqual([]);
  expect(await remade('one more type')).toEqual([]);
  expect(await remade('one more version')).toEqual(['rollouts', 'events']);
  expect(await remade('one more version')).toEqual([]);
  expect(await remade('new')).toEqual(['rollouts', 'moons']);
  expect(await remade('newest')).toEqual(['rollouts', 'notes', 'events']);
  expect(await remade('old')).toEqual(['rollouts', 'notes', 'events']);
  expect(await remade('old')).toEqual([]);
});

it('table events has the recorded data, whatever it is upcast to', async () => {
  const tables = join(temporary(), 'ledger.tables');
  const events = new Events();
  events.append(versions.old, ['note', 'rollout']);
  events.append(versions.newest, ['note', 'rollout']);
  for (const name of ['old', 'newest'] as const) {
    const { path } = await fill(events, tables, versions[name]);
    const rows = await within(path, reading, {}, (connection) =>
      rowsOf(connection, "SELECT version, data FROM log.events WHERE type = 'RunAnnotated' ORDER BY version"),
    );
    expect(rows.map(({ version, data }) => [version, JSON.parse(String(data))])).toEqual([
      [1, { says: 'cold' }],
      [2, { says: 'cold', tone: 'dry' }],
    ]);
  }
});
