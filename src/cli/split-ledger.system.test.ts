// A ledger in two stores as its user has it: every command works on it as on one in a file.
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidenceStream, note, notesStream, report, rolloutIn } from '../ledger/contract/samples.ts';
import { openLedger } from '../ledger/open.ts';
import { hasPython, tiny } from './experiment/testing/place.ts';
import { sentNote } from './testing/events.ts';
import { icecore, inFolder, json, lines, type Ran, temporaryFolder } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

const url = 'split:sqlite:ledger.db+sqlite:evidence.db';

describe.skipIf(!hasPython)('a run on a split ledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-split-'));
  const place = (): { readonly cwd: string; readonly ic: (...argv: readonly string[]) => Promise<Ran> } => {
    const cwd = temporaryFolder();
    cpSync(folder, cwd, { recursive: true });
    return { cwd, ic: inFolder(cwd) };
  };
  const query = async (ic: (...argv: readonly string[]) => Promise<Ran>, sql: string): Promise<string[]> =>
    lines((await ic('sql', sql, '--format', 'csv')).stdout).slice(1);

  beforeAll(async () => {
    const ic = inFolder(folder);
    expect(await ic('init', '--ledger', url)).toMatchObject({ code: 0 });
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...tiny, engineer: 'rules' }));
    expect(await ic('run', '--file', 'run.json', '--programs', '--jobs', '1', '--name', 'parted')).toMatchObject({
      code: 0,
    });
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is completed, with its evidence in one file and its decisions in the other', async () => {
    const { cwd, ic } = place();
    expect((await ic('runs')).stdout).toMatch(/^parted .* 2\/2 .*completed$/m);
    const streams = async (file: string): Promise<string[]> => {
      const { stdout } = await ic('event', 'tail', '-n', '1000', '--json', '--ledger', `sqlite:${file}`);
      const found = lines(stdout).map((line) => (JSON.parse(line) as { stream: string }).stream.split('-')[0] ?? '');
      return [...new Set(found)].sort();
    };
    expect(await streams('ledger.db')).toEqual(['run', 'work']);
    expect(await streams('evidence.db')).toEqual(['evidence']);
    expect(readdirSync(cwd)).toContain('ledger.blobs');
    expect(readdirSync(cwd)).not.toContain('evidence.blobs');
  });

  it('is verified across both files, also with an earlier head', async () => {
    const { ic } = place();
    const { stdout } = await ic('ledger', 'head');
    const { cwd, ic: later } = place();
    writeFileSync(join(cwd, 'head.json'), stdout);
    expect(await later('annotate', 'parted', 'it went well')).toMatchObject({ code: 0 });
    const report = json(await later('verify', '--head', 'head.json', '--json'));
    expect(report).toMatchObject({ status: 'sound', attempts: 6, faults: 0 });
    expect(json(await later('verify', 'parted', '--json'))).toMatchObject({ status: 'sound', attempts: 6 });
  });

  it('is explained by why and queried in SQL, and its tables are refreshed from both files', async () => {
    const { cwd, ic } = place();
    expect((await ic('why', 'parted@2', '--verbose')).stdout).toMatch(/rests on \d+ pieces of evidence/);
    const counted = "select count(*) filter (type = 'RolloutRecorded'), count(*) from events";
    const [before = ''] = await query(ic, counted);
    expect(existsSync(join(cwd, 'ledger.tables'))).toBe(true);
    await ic('annotate', 'parted', 'once more');
    const [rollouts, events] = before.split(',').map(Number);
    expect(await query(ic, counted)).toEqual([`${rollouts},${(events ?? 0) + 1}`]);
    expect(json(await ic('doctor', '--json', '--no-models'))).toMatchObject({ status: 'ok' });
  });

  it('has its events found by id and by the beginning of an id', async () => {
    const { ic } = place();
    const [line = ''] = lines((await ic('event', 'tail', '-n', '1', '--type', 'RolloutRecorded', '--json')).stdout);
    type Found = { id: string; stream: string; revision: number; type: string };
    const { id, stream, revision, type } = JSON.parse(line) as Found;
    expect(json(await ic('event', 'show', id, '--json'))).toMatchObject({ id, stream, revision });
    const several = {
      error: {
        kind: 'bad-input',
        candidates: expect.arrayContaining([expect.objectContaining({ id, stream, revision, type })]),
      },
    };
    expect(json(await ic('event', 'show', id.slice(0, -1), '--json'))).toMatchObject(several);
    expect(json(await ic('ledger', 'prove', id, '--json'))).toMatchObject({ event: { stream, revision } });
    expect((await ic('annotate', 'parted', 'look', '--event', id)).code).toBe(0);
    const nobody = await ic('event', 'show', 'ffffffff-ffff-8fff-bfff-ffffffffffff');
    expect(nobody).toMatchObject({ code: 1 });
    expect(nobody.stderr).toContain('there is no event whose id begins with ffffffff');
    expect(json(await ic('why', 'parted@2', '--json'))).toMatchObject({ changes: expect.anything() });
    expect((await ic('why', 'parted@2', '--detail', '4')).stdout).not.toContain('finds no event by its id');
  });

  it('has a report that finds its evidence', async () => {
    const { ic } = place();
    const report = await ic('report', 'parted', '--json', '--output', '-');
    expect(json(report)).toMatchObject({ story: expect.arrayContaining([expect.anything()]) });
    expect(report.stdout).not.toContain('finds no event by its id');
  });

  it('can be ablated', async () => {
    const { ic } = place();
    const ran = await ic('ablate', 'parted', '--programs', '--json');
    expect(ran.code).toBe(0);
    expect(json(await ic('verify', '--json'))).toMatchObject({ status: 'sound' });
  });

  it('is copied into one file and back, as a whole and by run, with equal digests', async () => {
    const { ic } = place();
    const there = json(await ic('ledger', 'copy', url, 'sqlite:flat.db', '--json'));
    expect(there).toMatchObject({ streams: 8, lost: 0 });
    const back = json(
      await ic('ledger', 'copy', 'sqlite:flat.db', 'split:sqlite:back.db+sqlite:back-evidence.db', '--json'),
    );
    expect(back).toMatchObject({ events: there['events'], root: there['root'] });
    const again = json(await ic('ledger', 'copy', 'split:sqlite:back.db+sqlite:back-evidence.db', url, '--json'));
    expect(again).toMatchObject({ copied: 0, root: there['root'] });
    const run = json(
      await ic('ledger', 'copy', 'sqlite:flat.db', 'split:sqlite:a.db+sqlite:b.db', '--run', 'parted', '--json'),
    );
    expect(run).toMatchObject({ events: there['events'], root: expect.any(String) });
    for (const copy of ['sqlite:flat.db', 'split:sqlite:a.db+sqlite:b.db']) {
      expect(json(await ic('verify', '--json', '--ledger', copy))).toMatchObject({ status: 'sound', attempts: 6 });
    }
  });

  it('is exported as a bundle and imported into another split ledger', async () => {
    const { ic } = place();
    expect(await ic('export', 'bundle', 'parted')).toMatchObject({ code: 0 });
    const bundle = 'parted.icecore.tar.zst';
    expect(await ic('import', 'bundle', bundle, '--ledger', 'split:sqlite:a.db+sqlite:b.db')).toMatchObject({
      code: 0,
    });
    expect((await ic('runs', '--ledger', 'split:sqlite:a.db+sqlite:b.db')).stdout).toContain('parted');
  });
});

describe('a split ledger', () => {
  it('is created by the first valid append, and by no other', async () => {
    const cwd = temporaryFolder();
    const send = (stdin: string, ...argv: readonly string[]): Promise<Ran> =>
      icecore(['event', 'append', '--ledger', url, ...argv], { cwd, stdin });
    expect((await send(JSON.stringify({ ...sentNote(0), type: 'Nothing' }))).code).toBe(1);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await send(JSON.stringify(sentNote(0)))).code).toBe(0);
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(['evidence.db', 'ledger.db']));
    expect((await send(JSON.stringify(sentNote(0)), '--dry-run')).code).toBe(0);
  });

  it('is followed with unsealed evidence, which is marked and printed once', async () => {
    const cwd = temporaryFolder();
    const ic = inFolder(cwd);
    await ic('init', '--ledger', url);
    const ledger = await openLedger(`split:sqlite:${join(cwd, 'ledger.db')}+sqlite:${join(cwd, 'evidence.db')}`);
    for (const form of ['--json', '--cloudevents', '--quiet']) {
      const stop = new AbortController();
      const stream = evidenceStream.replace('-0-1', `-${form.slice(2)}-1`);
      let text = '';
      const onOutput = (some: string): void => {
        const isFirst = text === '';
        text += some;
        if (isFirst) void report(ledger, stream);
        else if (text.includes('AttemptFinished'))
          void ledger.append(notesStream, [note(text.length)], { expect: 'any' });
        if (text.includes('RunAnnotated')) stop.abort('SIGINT');
      };
      const following = icecore(['event', 'tail', '-f', '-n', '0', form], { cwd, signal: stop.signal, onOutput });
      for (let next = 0; text === ''; next++) {
        await ledger.append(stream, [rolloutIn(stream, next)], { expect: 'any' });
        await othersTurn();
      }
      expect((await following).code).toBe(130);
      const shown = lines(text);
      const rollouts = shown.filter((line) => line.includes('RolloutRecorded'));
      expect(rollouts.length).toBeGreaterThan(0);
      expect(new Set(rollouts).size).toBe(rollouts.length);
      expect(rollouts.filter((line) => line.includes('unsealed')).length).toBeGreaterThan(0);
      if (form !== '--quiet')
        for (const line of shown)
          expect(faultsAgainst(form === '--json' ? 'event-tail' : 'cloudEvent', JSON.parse(line) as object)).toEqual(
            [],
          );
    }
    await ledger.close();
  });

  it('that is missing is reported by URL, with the command that creates it', async () => {
    const ran = await inFolder(temporaryFolder())('event', 'tail', '--ledger', url);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('there is no ledger at split:sqlite:');
    expect(ran.stderr).toContain(`icecore init --ledger ${url}`);
  });

  it('with a missing store is reported with that store', async () => {
    const ic = inFolder(temporaryFolder());
    await ic('init', '--ledger', 'sqlite:ledger.db');
    const ran = await ic('event', 'tail', '--ledger', url);
    expect(ran.stderr).toMatch(/the evidence of the ledger is not at sqlite:\S*evidence\.db/);
    const report = json(await ic('doctor', '--ledger', url, '--json')) as { rows: { name: string; status: string }[] };
    const named = report.rows.filter(({ name }) => name === 'ledger' || name.endsWith(' ledger'));
    expect(named.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      'ledger: failed',
      'decisions ledger: ok',
      'evidence ledger: warning',
    ]);
  });

  it('is refused as an input file and as the target of its own copy', async () => {
    const cwd = temporaryFolder();
    const ic = inFolder(cwd);
    await ic('init', '--ledger', url);
    for (const file of ['ledger.db', 'evidence.db']) {
      expect((await ic('event', 'append', file)).stderr).toContain('is the ledger itself');
      expect((await ic('ledger', 'copy', url, `sqlite:${file}`)).stderr).toContain('cannot be copied onto itself');
    }
  });
});
