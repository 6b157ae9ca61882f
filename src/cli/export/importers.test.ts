// Importers of plugins: they import runs from a file of any format.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { IcecoreError } from '../../../schemas/errors.ts';
import { BadPlugin, defineImporter, definePlugin, NameTaken, registryOf } from '../../library/plugins/index.ts';
import { inFolder, json, temporaryFolder } from '../testing/harness.ts';

/** One line per rollout: run, stage, task, success. */
const csv = defineImporter({
  name: 'csv',
  summary: 'rollouts as lines of a table',
  settings: z.strictObject({ delimiter: z.string().length(1).default(',') }),
  async *records({ lines, settings }) {
    for await (const line of lines()) {
      const [run = '', stage, task = '', success] = line.split(settings.delimiter);
      if (stage === undefined) throw new IcecoreError('bad-input', `found "${line}", allowed: run,stage,task,success`);
      yield { run, stage: Number(stage), task, success: success === 'true', split: 'validation' };
    }
  },
});
const acme = definePlugin({ name: 'acme', importers: [csv] });
const table = ['mine;1;a;true', 'mine;1;b;false', 'mine;2;a;true', 'mine;2;b;true', ''].join('\n');

function place(text: string, plugins = [acme]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'log.csv'), text);
  return inFolder(cwd, { plugins });
}

describe('an importer of a plugin', () => {
  it('is a command that imports runs for why, sql and verify, and adds nothing the second time', async () => {
    const ic = place(table);
    const words = ['import', 'csv', 'log.csv', '--set', 'delimiter=;'];
    expect((await ic(...words, '--dry-run')).stdout).toContain('4 records checked; nothing was written');
    const imported = json(await ic(...words, '--json'));
    expect(imported).toMatchObject({ records: 4, runs: [{ name: 'mine', stages: 2, rollouts: 4 }] });
    expect(json(await ic(...words, '--json'))).toMatchObject({ added: 0 });
    expect((await ic('why', 'mine@2')).code).toBe(0);
    const rows = await ic(
      'sql',
      '--format',
      'csv',
      'SELECT stage, avg(success::int) AS rate FROM rollouts GROUP BY 1 ORDER BY 1',
    );
    expect(rows.stdout).toBe('stage,rate\n1,0.5\n2,1.0\n');
    expect((await ic('verify')).code).toBe(0);
    expect((await ic('help', 'all')).stdout).toMatch(/import csv +Import runs: rollouts as lines of a table/);
  });

  it.each([
    ['an invalid record', 'mine,0,a,true\n', [], 'log.csv, record 1: stage: found 0'],
    ['a line that the importer rejects', 'mine,1,a,true\nmine\n', [], 'found "mine", allowed: run,stage,task,success'],
    ['an empty file', '', [], 'log.csv: found no records, allowed: one or more'],
    ['an invalid setting', 'mine,1,a,true\n', ['--set', 'delimiter=ab'], 'import csv, settings.delimiter: found "ab"'],
    ['an unknown setting', 'mine,1,a,true\n', ['--set', 'comma=1'], 'import csv, settings'],
  ])('fails on %s, and nothing is written', async (_, text, words, says) => {
    const ic = place(text);
    const ran = await ic('import', 'csv', 'log.csv', ...words);
    expect(ran.code).toBeGreaterThan(0);
    expect(ran.stderr).toContain(says);
    expect((await ic('runs')).stderr).toContain('there is no ledger');
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new TypeError('no idea');
      },
      'records threw TypeError: no idea',
    ],
    [
      'throws later',
      async function* () {
        yield { run: 'mine', stage: 1, success: true };
        throw new TypeError('no idea');
      },
      'records threw TypeError: no idea',
    ],
    [
      'never answers',
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
      'within 0.05 s',
    ],
    ['returns no records', () => 7, 'records: records: found number'],
  ])('that %s is named in the error, with its plugin', async (_, records, says) => {
    const wrong = defineImporter({ name: 'wrong', summary: 'at fault', seconds: 0.05, records: records as never });
    const ran = await place('', [definePlugin({ name: 'acme', importers: [wrong] })])('import', 'wrong', 'log.csv');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('the importer wrong of the plugin acme: ');
    expect(ran.stderr).toContain(says);
  });

  it('that returns other records the second time fails', async () => {
    let times = 0;
    const wrong = defineImporter({
      ...{ name: 'wrong', summary: 'at fault' },
      records: () => [{ run: 'mine', stage: 1, success: true, reward: times++ }],
    });
    const ran = await place('', [definePlugin({ name: 'acme', importers: [wrong] })])('import', 'wrong', 'log.csv');
    expect(ran.stderr).toContain('log.csv changed while it was read');
  });

  it('that returns a value JSON cannot represent fails, with the record and field', async () => {
    const wrong = defineImporter({
      ...{ name: 'wrong', summary: 'at fault' },
      records: () => [{ run: 'mine', stage: 1, success: true, reward: Number.NaN }],
    });
    const ran = await place('', [definePlugin({ name: 'acme', importers: [wrong] })])('import', 'wrong', 'log.csv');
    expect(ran.stderr).toContain('log.csv, record 1: reward: found NaN, allowed: a JSON value');
  });

  it('with an unknown name is rejected with the similar name', async () => {
    expect((await place(table)('import', 'cvs', 'log.csv')).stderr).toContain('import csv');
  });
});

describe('registering an importer', () => {
  it.each([
    [
      'the name of a built-in importer',
      { ...csv, name: 'ndjson' },
      'importers[0].name: found "ndjson" (a string), allowed: a name other',
    ],
    ['a name of two words', { ...csv, name: 'a b' }, 'importers[0].name: found "a b"'],
    ['no records', { ...csv, records: [] }, 'importers[0].records: found a list'],
    ['null', null, 'importers[0].name: found nothing'],
  ])('rejects %s', (_, importer, says) => {
    const register = () => registryOf([definePlugin({ name: 'acme', importers: [importer as never] })]);
    expect(register).toThrow(BadPlugin);
    expect(register).toThrow(`the plugin acme, ${says}`);
  });

  it('rejects a name that another plugin uses', () => {
    expect(() => registryOf([acme, definePlugin({ name: 'other', importers: [csv] })])).toThrow(NameTaken);
  });
});

it('the types of an importer check its records and settings', () => {
  defineImporter({
    ...{ name: 'typed', summary: 'typed' },
    // @ts-expect-error a stage is a number
    records: () => [{ run: 'mine', stage: '1', success: true }],
  });
  defineImporter({
    ...{ name: 'typed', summary: 'typed', settings: z.object({ from: z.number() }) },
    // @ts-expect-error there is no such setting
    records: ({ settings }) => [{ run: 'mine', stage: settings.to, success: true }],
  });
});
