import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import type { ExportManifest } from '../../../schemas/export-manifest.ts';
import { exportManifest } from '../../../schemas/export-manifest.ts';
import { partitionName } from '../../analysis/export/folder.ts';
import { openLedger } from '../../ledger/open.ts';
import { History } from '../../projections/testing/history.ts';
import { icecore, json, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { exporting, layers, oddName } from './testing/exported.ts';

const { cwd, look } = exporting();

function manifestIn(folder: string): ExportManifest {
  return exportManifest.parse(JSON.parse(readFileSync(join(folder, 'icecore-export.json'), 'utf8')));
}

const cutOdd = partitionName('run', oddName);

describe('icecore export tables', () => {
  it('partitions Parquet by run and stage, with Hive folder names', async () => {
    const to = join(temporaryFolder(), 'out');
    const done = json(await look('rollouts', 'configs', 'runs', 'alerts', '--output', to, '--json'));
    expect(faultsAgainst('export-tables', done)).toEqual([]);
    expect(done).toMatchObject({ as: 'parquet', replaced: false, runs: null, leftOut: [], folder: to });
    const { tables, what, head } = manifestIn(to);
    expect({ what, events: head.events }).toEqual({ what: 'tables', events: 17 });
    expect(tables.map(({ name, rows, files }) => [name, rows, files.map(({ path }) => path)])).toEqual([
      [
        'rollouts',
        6,
        [
          'rollouts/run=the a/stage=1/data_0.parquet',
          'rollouts/run=the a/stage=2/data_0.parquet',
          'rollouts/run=the b/stage=1/data_0.parquet',
          `rollouts/${cutOdd}/stage=1/data_0.parquet`,
        ],
      ],
      ['configs', 0, ['configs/data_0.parquet']],
      ['runs', 3, ['runs/run=the a/data_0.parquet', 'runs/run=the b/data_0.parquet', `runs/${cutOdd}/data_0.parquet`]],
      ['alerts', 0, ['alerts/data_0.parquet']],
    ]);
    expect(cutOdd).toBe(`run=été%2F..%2Fa%3Db%25c %22d%22 %2A%3F%5Bx%5D%7By}%27${layers}`);
  });

  it('calls the rollouts of arms by their ablation in every format, as SQL does', async () => {
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, '.icecore'));
    const ledger = await openLedger(`sqlite:${join(workspace, '.icecore', 'ledger.db')}`, { create: true });
    const ablation = new History('ablation0000');
    const histories = [{ run: 'replayed0000', decisions: [2], revision: 0, digest: 'd'.repeat(64) }];
    const arms = [{ arm: 'fixed', engineer: { name: 'fixed' }, contextForm: null, baseline: true }];
    const begun = { name: 'forms', depth: 'train', level: 0.95, histories, arms, primary: null } as const;
    ablation.add('AblationStarted', null, { ...begun, seeds: [1] }, { stream: 'ablation-ablation0000' });
    const tried = { environment: 'maze', split: 'validation', policy: 'p', outcome: 'done' } as const;
    ablation.add('RolloutRecorded', 2, tried, { stream: 'evidence-ablation0000-2-arm0.validation-0' });
    await ablation.writeTo(ledger);
    await ledger.close();
    await icecore(['export', 'tables', 'rollouts', 'events', '--output', 'out'], { cwd: workspace });
    for (const table of ['rollouts', 'events'])
      expect(readdirSync(join(workspace, 'out', table))).toEqual(['run=forms']);
  });

  it('writes a manifest with the size and hash of each file and the meaning of each column', async () => {
    const to = join(temporaryFolder(), 'out');
    await look('rollouts', '--output', to);
    const [table] = manifestIn(to).tables;
    for (const { path, bytes, sha256 } of table?.files ?? []) {
      const there = readFileSync(join(to, path));
      expect([there.length, createHash('sha256').update(there).digest('hex')]).toEqual([bytes, sha256]);
    }
    expect(table?.columns.filter(({ partition }) => partition).map(({ name }) => name)).toEqual(['run', 'stage']);
    expect(table?.columns.find(({ name }) => name === 'outcome')?.meaning).toMatch(/./);
  });

  it('writes Arrow and NDJSON as one file per table', async () => {
    const to = join(temporaryFolder(), 'out');
    await look('rollouts', '--output', to, '--format', 'arrow');
    const arrow = tableFromIPC(readFileSync(join(to, 'rollouts.arrow')));
    expect(arrow.numRows).toBe(6);
    await look('rollouts', '--output', to, '--format', 'ndjson');
    const rows = readFileSync(join(to, 'rollouts.ndjson'), 'utf8').trim().split('\n');
    expect(new Set(rows.map((row) => (JSON.parse(row) as { run: string }).run))).toEqual(
      new Set(['the a', 'the b', oddName]),
    );
    expect(readdirSync(to).sort()).toEqual(['icecore-export.json', 'rollouts.ndjson']);
  });

  it('filters by run or tag, and omits tables that are not about single runs', async () => {
    const to = join(temporaryFolder(), 'out');
    const done = json(await look('--output', to, '--run', 'the b', '--format', 'ndjson', '--json'));
    expect(done).toMatchObject({ runs: [{ run: 'b', name: 'the b' }] });
    expect(done['leftOut']).toContain('knob_effects');
    expect(readFileSync(join(to, 'events.ndjson'), 'utf8')).not.toContain('"run_id":"a"');
    const tagged = json(await look('runs', '--output', to, '--tag', 'odd', '--json'));
    expect(tagged).toMatchObject({ replaced: true, rows: 1, runs: [{ run: 'odd', name: oddName }] });
  });

  it('overwrites only an export of the same ledger', async () => {
    const folder = temporaryFolder();
    const to = join(folder, 'out');
    mkdirSync(to);
    expect((await look('runs', '--output', to)).code).toBe(0);
    expect((await look('runs', '--output', to)).stdout).toContain('replacing the previous export');
    writeFileSync(join(to, 'mine.txt'), 'x');
    const refused = await look('runs', '--output', to);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/an export, and other things in it \(mine.txt\)/),
    });
    expect(readdirSync(to)).toContain('mine.txt');
    const others = join(folder, 'others');
    mkdirSync(others);
    writeFileSync(join(others, 'mine.txt'), 'x');
    expect((await look('runs', '--output', others)).stderr).toMatch(/holds other things \(mine.txt\)/);
    expect((await look('runs', '--output', join(others, 'mine.txt'))).stderr).toMatch(/it is a file/);
    rmSync(join(to, 'mine.txt'));
    writeFileSync(join(to, 'icecore-export.json'), JSON.stringify({ ...manifestIn(to), ledger: 'another' }));
    expect((await look('runs', '--output', to)).stderr).toMatch(/an export of another ledger, another/);
    expect(readdirSync(folder).sort()).toEqual(['others', 'out']);
    expect(manifestIn(to).ledger).toBe('another');
  });

  it.each([
    [['rolouts', '--output', 'x'], /there is no table "rolouts"\n.*Did you mean rollouts\?/],
    [['knob_effects', '--output', 'x', '--run', 'a'], /knob_effects is not of single runs/],
    [['--output', 'x', '--run', 'nobody'], /there is no run "nobody"/],
    [['--output', 'x', '--tag', 'od'], /no run has the tag "od"\n.*Did you mean odd\?/],
    [['--output', 'x', '--format', 'csv'], /--format: found "csv", allowed: parquet, arrow, ndjson/],
    [[], /required option '--output <folder>' not specified/],
  ])('rejects the arguments %j', async (argv, why) => {
    const ran = await look(...argv);
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringMatching(why) });
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });
});
