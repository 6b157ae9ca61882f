import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ImportNdjsonResult } from '../../../schemas/export-output.ts';
import { sessionIn } from '../../library/testing/session.ts';
import { importNdjson } from '../../library/transfer/ndjson.ts';
import { inFolder, json, lines, type Ran, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const configs = [
  { config: { easy: { data: 0.7 }, hard: { data: 0.3 }, lr: 0.00001 } },
  {
    config: { easy: { data: 0.5 }, hard: { data: 0.5 } },
    engineer: 'gpt',
    reasons: { 'hard.data': 'easy is solved' },
    rationale: 'harder now',
  },
  { config: { lr: 0.000005 }, by: 'human' },
];

/** Three stages: in each a configuration, 16 rollouts of which half are of validation, and two measurements. */
function training(run = 'mine'): Readonly<Record<string, unknown>>[] {
  return configs.flatMap((config, i) => {
    const at = { run, stage: i + 1 };
    const rollouts = Array.from({ length: 16 }, (_, n) => {
      const success = n % 4 <= i;
      const split = n < 8 ? 'train' : 'validation';
      const family = n % 2 === 0 ? 'easy' : 'hard';
      return { ...at, family, split, success, ...(success ? {} : { failure: 'wrong' }), prompt: '2+2?', answer: n };
    });
    const measured = [
      { ...at, measure: 'valid', value: 0.5, suite: 'gsm8k', count: 5, of: 10 },
      { ...at, measure: 'loss', value: 1 / (i + 1) },
    ];
    return [{ ...at, ...config }, ...rollouts, ...measured];
  });
}

const ndjson = (records: readonly object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');

function place(records: readonly object[] | string): { cwd: string; run: (...argv: string[]) => Promise<Ran> } {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'train.ndjson'), typeof records === 'string' ? records : ndjson(records));
  return { cwd, run: inFolder(cwd) };
}

describe('icecore import ndjson', () => {
  it('counts the rollouts of a suite instead of what was measured of it, and keeps other measures', async () => {
    const at = { run: 'mine', stage: 1 };
    const { run } = place([
      { ...at, family: 'easy', split: 'validation', success: true },
      { ...at, measure: 'valid', value: 0.25 },
      { ...at, measure: 'valid', value: 0.75, family: 'easy' },
      { ...at, measure: 'loss', value: 3 },
    ]);
    await run('import', 'ndjson', 'train.ndjson');
    const question = 'SELECT family, measure, value FROM evaluations ORDER BY ALL';
    expect(json(await run('sql', '--json', question))).toMatchObject({
      rows: [
        { family: 'easy', measure: 'valid', value: 1 },
        { family: null, measure: 'loss', value: 3 },
        { family: null, measure: 'valid', value: 1 },
      ],
    });
  });

  it('imports a run that why, show, sql and verify can read, and adds nothing the second time', async () => {
    const { run } = place(training());
    const ran = await run('import', 'ndjson', 'train.ndjson', '--json', '--environment', 'sums');
    const result = json(ran) as unknown as ImportNdjsonResult;
    expect(faultsAgainst('import-ndjson', json(ran))).toEqual([]);
    const counts = { stages: 3, rollouts: 48, configurations: 3, measurements: 6 };
    expect(result).toMatchObject({ records: 57, dryRun: false, runs: [{ name: 'mine', ...counts }] });

    expect(json(await run('why', 'mine@2', '--json'))).toMatchObject({
      environment: 'sums',
      isOver: true,
      decision: { by: 'engineer', who: 'gpt', says: 'harder now' },
      changes: [
        { knob: 'easy.data', from: 0.7, to: 0.5, steps: -2, cites: null, says: null },
        { knob: 'hard.data', from: 0.3, to: 0.5, steps: 2, cites: null, says: 'easy is solved' },
      ],
      effects: [
        { family: null, validation: { before: { count: 2, of: 8 }, after: { count: 4, of: 8 } } },
        { family: 'easy', validation: { before: { count: 2, of: 4 }, after: { count: 2, of: 4 } } },
        { family: 'hard', validation: { before: { count: 0, of: 4 }, after: { count: 2, of: 4 } } },
      ],
    });
    expect(json(await run('why', 'mine', '--json'))).toMatchObject({
      stage: 3,
      decision: { by: 'human' },
      changes: [{ knob: 'lr', from: 0.00001, to: 0.000005 }],
    });
    expect(json(await run('show', 'mine', '--json'))).toMatchObject({
      state: 'completed',
      stages: [{ valid: { value: 0.25 } }, { valid: { value: 0.5 } }, { valid: { value: 0.75 } }],
      benchmarks: [{ suite: 'gsm8k', valid: { value: 0.5, count: 5, of: 10 } }, {}, {}],
    });
    const rollouts =
      "SELECT split, family, count(*)::int AS n FROM rollouts WHERE success AND run = 'mine' GROUP BY ALL ORDER BY ALL";
    expect(lines((await run('sql', rollouts, '--format', 'ndjson')).stdout).map((line) => JSON.parse(line))).toEqual([
      { split: 'train', family: 'easy', n: 8 },
      { split: 'train', family: 'hard', n: 4 },
      { split: 'validation', family: 'easy', n: 8 },
      { split: 'validation', family: 'hard', n: 4 },
    ]);
    const verified = await run('verify', '--recompute', '--json');
    expect(verified.code).toBe(0);
    expect(json(verified)).toMatchObject({ status: 'sound' });

    const again = await run('import', 'ndjson', 'train.ndjson');
    expect(again.stdout).toContain(
      'mine: 3 stages, 48 rollouts, 3 configurations, 6 measurements, everything was there already\n',
    );
    expect(json(await run('import', 'ndjson', 'train.ndjson', '--json'))).toMatchObject({ added: 0 });
  });

  it('imports failures that show and diff print as shares of all rollouts', async () => {
    const { run } = place(training());
    await run('import', 'ndjson', 'train.ndjson');
    expect((await run('show', 'mine@2')).stdout).toMatch(/wrong 50[\s\S]*in % of all rollouts on suite validation\./);
    expect((await run('diff', 'mine@2', 'mine@3')).stdout).toContain(
      'Failures on suite validation, in % of all its rollouts, the largest changes: wrong 50 → 25 %.',
    );
  });

  it('refuses different records of an imported run, unless under another name', async () => {
    const { cwd, run } = place(training());
    await run('import', 'ndjson', 'train.ndjson');
    writeFileSync(join(cwd, 'other.ndjson'), ndjson(training().slice(0, -1)));
    const refused = await run('import', 'ndjson', 'other.ndjson');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'run mine was imported before from train.ndjson, and its records differ from those that',
    );
    expect((await run('import', 'ndjson', 'other.ndjson', '--dry-run')).code).toBe(1);
    expect((await run('import', 'ndjson', 'train.ndjson', '--environment', 'other')).stderr).toContain(
      'run mine was imported with the environment train, not other',
    );
    const renamed = await run('import', 'ndjson', 'other.ndjson', '--name', 'second');
    expect(renamed.stdout).toContain('second: 3 stages');
    // The same records under another name of the file are the same run.
    writeFileSync(join(cwd, 'copy.ndjson'), readFileSync(join(cwd, 'train.ndjson')));
    expect((await run('import', 'ndjson', 'copy.ndjson')).stdout).toContain('everything was there already');
  });

  it('accepts dotted knob names', async () => {
    const { run } = place([
      { run: 'mine', stage: 1, config: { 'easy.data': 0.7, 'hard.data': 0.3 } },
      { run: 'mine', stage: 2, config: { 'easy.data': 0.5 } },
    ]);
    await run('import', 'ndjson', 'train.ndjson');
    expect((await run('show', 'mine')).stdout).toMatch(/^ +2 .* imported: easy\.data 0\.7 → 0\.5$/m);
    expect((await run('show', 'mine@2')).stdout).toMatch(/^ {2}imported: easy\.data/m);
    expect((await run('why', 'mine@2')).stdout).toContain('decided by a person, imported');
    expect((await run('audit', 'mine')).stdout).toMatch(/^ +2 +imported /m);
    expect(json(await run('why', 'mine@2', '--json'))).toMatchObject({
      changes: [{ knob: 'easy.data', family: 'easy', from: 0.7, to: 0.5 }],
    });
  });

  it('counts several tries of a task as one task, so that they do not narrow intervals', async () => {
    const at = { run: 'mine', stage: 1, split: 'validation' };
    const tries = Array.from({ length: 160 }, (_, n) => ({ ...at, task: `t${n % 20}`, success: n % 20 < 10 }));
    const { cwd, run } = place(tries);
    await run('import', 'ndjson', 'train.ndjson');
    // Wilson's interval of 10 of 20 tasks, not of 80 of 160.
    expect((await run('show', 'mine')).stdout).toContain('50 [30, 70]');
    const whole = (await run('show', 'mine', '--verbose')).stdout.replaceAll(/\n */g, ' ');
    expect(whole).toContain('Intervals count each task once');
    expect(whole).not.toContain('Probe tasks');
    writeFileSync(join(cwd, 'other.ndjson'), ndjson(tries.toReversed().map((one) => ({ ...one, run: 'other' }))));
    await run('import', 'ndjson', 'other.ndjson', '--environment', 'train');
    expect((await run('compare', 'mine', 'other')).stdout).toContain('0.0 points valid [-8.9, +8.9] on validation');
  });

  it('reads records of another shape with --map', async () => {
    const records = training().map(({ run, success, ...rest }) => ({
      ...rest,
      experiment: { name: run },
      host: 'gpu-7',
      ...(success === undefined ? {} : { eval: { correct: success } }),
    }));
    const { cwd, run } = place(records);
    writeFileSync(
      join(cwd, 'fields.json'),
      '{"run": "experiment.name", "success": "eval.correct", "policy": {"value": "qwen"}}',
    );
    expect((await run('import', 'ndjson', 'train.ndjson', '--map', 'fields.json')).stdout).toContain('48 rollouts');
    const ran = await run('sql', 'SELECT DISTINCT policy FROM rollouts', '--format', 'ndjson');
    expect(ran.stdout).toBe('{"policy":"qwen"}\n');
    writeFileSync(join(cwd, 'fields.json'), '{"rum": "experiment.name"}');
    const misspelt = await run('import', 'ndjson', 'train.ndjson', '--map', 'fields.json');
    expect(misspelt).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('fields.json: rum: found an unknown member'),
    });
  });

  it('checks with --dry-run and writes nothing', async () => {
    const { cwd, run } = place(training());
    const ran = await run('import', 'ndjson', 'train.ndjson', '--dry-run', '--json');
    expect(json(ran)).toMatchObject({ dryRun: true, records: 57, added: 0 });
    expect(faultsAgainst('import-ndjson', json(ran))).toEqual([]);
    expect(readdirSync(cwd)).toEqual(['train.ndjson']);
  });

  it.each<[string, (text: string) => string, string]>([
    ['invalid JSON', (text) => text.replace('"stage":2', '"stage":02'), 'line 20: column'],
    ['NaN', (text) => text.replace('"value":0.5,', '"value":NaN,'), 'JSON has no NaN'],
    ['a duplicate key', (text) => text.replace('"answer":3', '"answer":3,"answer":4'), 'line 5: answer'],
    ['a wrong type', (text) => text.replace('"stage":2', '"stage":"2"'), 'line 20: stage: found "2" (a string)'],
    ['an unknown key', (text) => text.replace('"prompt"', '"promt"'), 'line 2: promt: found an unknown key'],
    ['a missing stage', (text) => text.replaceAll('"stage":2', '"stage":4'), 'line 39: stage: found 3, after stage 1'],
    ['a forbidden key', (text) => text.replace('"answer":3', '"task":{"__proto__":1}'), '"__proto__"'],
    [
      'a lone surrogate',
      (text) => text.replace('2+2?', '\\ud800'),
      'line 2: prompt: found a text with a lone surrogate',
    ],
    ['a NUL byte', () => `\u0000${'x'}`, 'line 1'],
    ['an empty file', () => '\n\n', 'found no records'],
    ['another shape, suggesting --map', () => '{"step":1,"loss":2}', '--map says where'],
  ])('reports %s, and imports nothing', async (_, spoil, said) => {
    const { cwd, run } = place(spoil(ndjson(training())));
    const ran = await run('import', 'ndjson', 'train.ndjson');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).toContain('Nothing was imported.');
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
  });

  it('refuses one --name for two runs, and the name of a run that was not imported', async () => {
    const { cwd, run } = place([...training('one'), ...training('two')]);
    expect((await run('import', 'ndjson', 'train.ndjson', '--name', 'both')).stderr).toContain(
      'line 58: run: found "two"',
    );
    const started = {
      id: '0d2f1c1e-8f0e-4a53-9a57-4c2f6f3f5a10',
      stream: 'run-abc',
      type: 'RunStarted',
      actor: 'producer/x',
    };
    const event = { ...started, data: { name: 'two', environment: { name: 'e' } } };
    writeFileSync(join(cwd, 'event.ndjson'), `${JSON.stringify(event)}\n`);
    expect((await run('event', 'append', 'event.ndjson')).code).toBe(0);
    expect((await run('import', 'ndjson', 'train.ndjson')).stderr).toContain('a run named two');
  });

  it('imports long texts, and rollouts without families', async () => {
    const long = 'x'.repeat(2_000_000);
    const at = { run: 'mine', stage: 1 };
    const { run } = place([
      { ...at, success: true, split: 'test', prompt: long },
      { ...at, success: false, split: 'test', failure: 'wrong' },
    ]);
    expect((await run('import', 'ndjson', 'train.ndjson')).code).toBe(0);
    const ran = await run('sql', "SELECT family, value FROM evaluations WHERE suite = 'test'", '--format', 'ndjson');
    expect(ran.stdout).toBe('{"family":null,"value":0.5}\n');
    expect((await run('verify')).code).toBe(0);
  });

  it('imports into a ledger with a separate evidence store', async () => {
    const { cwd } = place(training());
    const run = inFolder(cwd, { env: { ICECORE_LEDGER: 'split:sqlite:ledger.db+sqlite:evidence.db' } });
    expect((await run('import', 'ndjson', 'train.ndjson')).stderr).not.toContain('icecore:');
    expect((await run('import', 'ndjson', 'train.ndjson')).stdout).toContain('everything was there already');
    expect(json(await run('show', 'mine', '--json'))).toMatchObject({ state: 'completed' });
    expect(json(await run('verify', '--json'))).toMatchObject({ status: 'sound', total: 0 });
  });

  it('resumes a stopped import when repeated', async () => {
    const at = { run: 'mine', stage: 1 };
    const records = Array.from({ length: 2500 }, (_, n) => ({ ...at, success: n % 2 === 0, split: 'validation' }));
    const { cwd, run } = place([{ ...at, config: { a: 1 } }, ...records]);
    const stop = new AbortController();
    const session = sessionIn(cwd, stop.signal);
    const stopping = importNdjson(
      {
        ...session,
        notify: async (notice) => {
          if (notice.kind === 'progress' && notice.subject === 'records' && notice.done >= 2000) stop.abort();
        },
      },
      'train.ndjson',
    );
    await expect(stopping).rejects.toThrow();
    const half = json(await run('show', 'mine', '--json'));
    expect(half).toMatchObject({ stages: [] });
    const { added } = await importNdjson(sessionIn(cwd), 'train.ndjson');
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThan(2500);
    expect(json(await run('show', 'mine', '--json'))).toMatchObject({
      state: 'completed',
      stages: [{ valid: { of: 2500 } }],
    });
    expect((await run('verify')).code).toBe(0);
  });

  it('imports what the script in docs/import.md writes', async () => {
    const page = readFileSync(fileURLToPath(new URL('../../../docs/import.md', import.meta.url)), 'utf8');
    const script = /```python\n(.*?)```/s.exec(page)?.[1] ?? '';
    const { cwd, run } = place('');
    execFileSync('python3', ['-c', script], { cwd });
    expect((await run('import', 'ndjson', 'training.ndjson')).stdout).toContain(
      'mine: 2 stages, 40 rollouts, 2 configurations',
    );
    expect((await run('why', 'mine@2')).stdout).toContain('easy tasks are solved');
  });

  it('throws an IcecoreError with the line and the field', async () => {
    const { cwd } = place([{ run: 'mine', stage: 1, success: 'yes' }]);
    const failed = await importNdjson(sessionIn(cwd), 'train.ndjson').catch((fault: unknown) => fault);
    expect(failed).toBeInstanceOf(IcecoreError);
    expect((failed as IcecoreError).facts).toMatchObject({ line: 1, field: 'success', found: '"yes" (a string)' });
  });
});
