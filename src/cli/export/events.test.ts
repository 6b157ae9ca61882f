import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { headOf, selectedEvents } from '../../analysis/export/events/selection.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { recordRuns, spoken, started, textIn, textNowhere } from '../../ledger/copy/testing/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { randomHistory, type World, writeWorld } from '../../projections/testing/random-history.ts';
import { type Place, placeWhere } from '../runs/testing/looking.ts';
import { icecore, inFolder, json, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { leaveBehind } from './testing/left.ts';

const evidence = streamOf.evidence('a', 1, 0, 0);

async function placeWithRuns(more: (ledger: Ledger) => Promise<void> = async () => {}): Promise<Place> {
  return await placeWhere(async (ledger) => {
    await recordRuns(ledger, ['a', 'b']);
    await more(ledger);
  });
}

const placesIn = (text: string): string[] =>
  lines(text).map((line) => {
    const { stream, revision, digest } = JSON.parse(line) as Record<string, unknown>;
    return `${stream}@${revision} ${digest}`;
  });

/** Random histories name blobs that do not exist: inline texts replace them. */
function withoutBlobs(world: World): World {
  const inline = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'blob' in value && 'bytes' in value ? { text: 'a text' } : value;
  const written = JSON.parse(JSON.stringify(world.written), inline) as World['written'];
  return Object.assign(Object.create(Object.getPrototypeOf(world) as object), { written }) as World;
}

describe('icecore export events', () => {
  it('writes NDJSON that append accepts: the other ledger has the same events, ids and digests', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistory(3), async (world) => {
        const { look } = await placeWhere((ledger) => writeWorld(ledger, withoutBlobs(world)));
        const here = await look('export', 'events');
        const cwd = temporaryFolder();
        const appended = await icecore(['event', 'append', '--texts', 'inline', '--json'], { cwd, stdin: here.stdout });
        expect(appended.code).toBe(0);
        const there = await inFolder(cwd)('export', 'events');
        expect(placesIn(there.stdout).sort()).toEqual(placesIn(here.stdout).sort());
      }),
      { numRuns: 4 },
    );
  });

  it('writes CloudEvents that append accepts', async () => {
    const { look, cwd } = await placeWithRuns();
    const exported = await look('export', 'events', '--format', 'cloudevents');
    for (const line of lines(exported.stdout)) expect(faultsAgainst('cloudEvent', JSON.parse(line))).toEqual([]);
    const there = temporaryFolder();
    expect(await icecore(['event', 'append'], { cwd: there, stdin: exported.stdout })).toMatchObject({ code: 0 });
    const here = await inFolder(cwd)('export', 'events');
    expect(placesIn((await inFolder(there)('export', 'events')).stdout)).toEqual(placesIn(here.stdout));
  });

  it('filters by run, including its recorded answers, by type and by stage', async () => {
    const { look } = await placeWithRuns();
    const streams = async (...argv: readonly string[]) =>
      placesIn((await look('export', 'events', ...argv)).stdout).map((place) => place.replace(/@.*| .*/, ''));
    expect(new Set(await streams('--run', 'the a'))).toEqual(
      new Set(['run-a', 'work-a', 'notes-a', evidence, expect.stringMatching(/^answer-/)]),
    );
    expect(await streams('--run', 'a,b', '--stage', '1', '--type', 'RolloutRecorded')).toEqual([
      evidence,
      evidence,
      'evidence-b-1-0-0',
      'evidence-b-1-0-0',
    ]);
    expect(await streams('--stage', '2-9', '--type', 'RolloutRecorded')).toEqual([]);
  });

  it('writes a folder partitioned by run and stage, and replaces it as a whole', async () => {
    const { look, cwd } = await placeWithRuns();
    const done = json(await look('export', 'events', '--output', 'out', '--json'));
    expect(faultsAgainst('export-events', done)).toEqual([]);
    expect(done).toMatchObject({ events: 14, replaced: false, as: 'ndjson', to: join(cwd, 'out') });
    const file = join(cwd, 'out/events/run=the a/stage=1/events.ndjson');
    expect(placesIn(readFileSync(file, 'utf8'))).toHaveLength(2);
    expect(json(await look('export', 'events', '--output', 'out', '--run', 'the b', '--json'))).toMatchObject({
      replaced: true,
    });
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(cwd)).toEqual(['.icecore', 'out']);
  });

  it('contains the events up to its head, and none recorded later', async () => {
    await placeWithRuns(async (ledger) => {
      const head = await headOf(ledger);
      await ledger.append('run-late', [started('late', 'late')], { expect: 'any' });
      let [events, digest] = [0, ''];
      for await (const some of selectedEvents(ledger, { runs: null, types: null, stages: null }, head.cursor)) {
        events += some.length;
        digest = some.at(-1)?.digest ?? '';
      }
      expect(head).toMatchObject({ events, digest });
    });
  });

  it('follows a link, and refuses to replace a folder that contains the current one', async () => {
    const { look, cwd } = await placeWithRuns();
    mkdirSync(join(cwd, 'real/within'), { recursive: true });
    const within = inFolder(join(cwd, 'real/within'));
    for (const to of ['.', '..'])
      expect(await within('export', 'events', '--output', to)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/contains the current folder/),
      });
    rmdirSync(join(cwd, 'real/within'));
    symlinkSync('real', join(cwd, 'link'));
    symlinkSync('nowhere', join(cwd, 'lost'));
    expect(json(await look('export', 'events', '--output', 'link', '--json'))).toMatchObject({ to: join(cwd, 'real') });
    expect(json(await look('export', 'events', '--output', 'link', '--json'))).toMatchObject({ replaced: true });
    expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true);
    expect((await look('export', 'events', '--output', 'lost')).stderr).toMatch(
      /--output: lost is a link that does not lead to a folder/,
    );
    expect(readdirSync(cwd)).toEqual(['.icecore', 'link', 'lost', 'real']);
  });

  it('writes Parquet, partitioned or as one file, and Arrow with the same digests as NDJSON', async () => {
    const { look, cwd } = await placeWithRuns();
    expect(json(await look('export', 'events', '--output', 'all.parquet', '--json'))).toMatchObject({
      events: 14,
      files: 1,
    });
    expect(json(await look('export', 'events', '--output', 'cut', '--format', 'parquet', '--json'))).toMatchObject({
      events: 14,
    });
    expect(existsSync(join(cwd, 'cut/events/run=the b/stage=1/data_0.parquet'))).toBe(true);
    await look('export', 'events', '--output', 'all.arrow');
    const table = tableFromIPC(readFileSync(join(cwd, 'all.arrow')));
    const digests = table.toArray().map((row) => (row as { digest: string }).digest);
    const lined = placesIn((await look('export', 'events')).stdout).map((place) => place.replace(/.* /, ''));
    expect(digests.sort()).toEqual(lined.sort());
  });

  it.each(['ndjson', 'parquet'])('fails if the name of a run is too long for a folder name: %s', async (format) => {
    const { look, cwd } = await placeWithRuns(async (ledger) => {
      await ledger.append('run-long', [started('long', 'long'.repeat(70))], { expect: 'any' });
    });
    const refused = await look('export', 'events', '--output', 'out', '--format', format);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no folder can be called after the run "(long){10}…"/),
    });
    expect(readdirSync(cwd)).toEqual(['.icecore']);
    expect(await look('export', 'events', '--output', `all.${format}`)).toMatchObject({ code: 0 });
  });

  it('writes separate folders for runs whose names are ids of other runs', async () => {
    const { look, cwd } = await placeWhere(async (ledger) => {
      for (const [run, name] of [
        ['x', 'y'],
        ['y', 'x'],
      ] as const)
        await ledger.append(`run-${run}`, [started(run, name)], { expect: 'any' });
    });
    const done = json(await look('export', 'events', '--output', 'out', '--format', 'parquet', '--json'));
    expect(done).toMatchObject({ events: 2, files: 2 });
    expect(readdirSync(join(cwd, 'out/events')).sort()).toEqual(['run=x', 'run=y']);
  });

  it('removes the temporary files of killed exports', async () => {
    const { look, cwd } = await placeWithRuns();
    const tables = join(cwd, '.icecore/ledger.tables');
    for (const near of [cwd, tables]) leaveBehind(near);
    await look('export', 'events', '--output', 'all.parquet');
    expect(readdirSync(cwd)).toEqual(['.icecore', 'all.parquet']);
    expect((await look('export', 'events', '--format', 'arrow')).code).toBe(0);
    expect(readdirSync(tables)).toEqual([]);
  });

  it('writes with --texts the texts in blobs to a folder, and reports how many are missing', async () => {
    const { look, cwd } = await placeWithRuns(async (ledger) => {
      const blobs = await openBlobs(`folder:${ledger.url.replace('sqlite:', '').replace('.db', '.blobs')}`, {
        create: true,
      });
      const events = [spoken(evidence, 2, await textIn(blobs, 'kept')), spoken(evidence, 3, textNowhere('lost'))];
      await ledger.append(evidence, events, { expect: 'any' });
      await blobs.close();
    });
    const done = await look('export', 'events', '--output', 'out', '--texts');
    expect(done.stdout).toMatch(/\n1 text beside them\n$/);
    expect(done.stderr).toMatch(/1 text is erased or lost/);
    const [text] = readdirSync(join(cwd, 'out/texts'));
    expect(readFileSync(join(cwd, 'out/texts', String(text)), 'utf8')).toBe('kept');
    expect(await look('export', 'events', '--output', 'out')).toMatchObject({ code: 0 });
    await look('export', 'events', '--output', 'one.ndjson', '--texts');
    expect(readdirSync(join(cwd, 'one.ndjson.texts'))).toEqual([text]);
  });

  it.each([
    [['--type', 'Rollout'], /no event type "Rollout"\n.*Did you mean RolloutRecorded/],
    [['--stage', '3-1'], /--stage: found "3-1"/],
    [['--stage', ''], /--stage: found ""/],
    [['--run', 'the a', '--tag', 'x'], /found --run and --tag/],
    [['--tag', 'x'], /no run has the tag "x"/],
    [['--format', 'parquet'], /parquet without --output/],
    [['--texts'], /--texts without --output/],
    [['--output', 'out', '--format', 'arrow'], /it is one file/],
    [['--output', 'out.csv'], /--output: "out.csv" does not say in which format\n.*\.ndjson/],
    [['--output', '.icecore/ledger.db', '--format', 'ndjson'], /is the ledger itself/],
  ])('rejects the arguments %j', async (argv, why) => {
    const { look, cwd } = await placeWithRuns();
    const ran = await look('export', 'events', ...argv);
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringMatching(why) });
    expect(ran.code).toBeGreaterThan(0);
    expect(readdirSync(cwd)).toEqual(['.icecore']);
  });
});
