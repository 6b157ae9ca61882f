// docs/runs.md, docs/contexts.md, docs/trainers.md and docs/engineers.md agree with the code: settings and defaults, options, forms and
// modules, engineers and what they read, the example program.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runFile, runSettings } from '../../../schemas/run-file.ts';
import { hyperparameters, settingsWith } from '../../../testbed/grpo/settings.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import { registry } from '../../../testbed/testing/registry.ts';
import { questionFor } from '../../lab/engineers/command.ts';
import { shapeIssues } from '../../lab/engineers/proposal-reading.ts';
import { rulesDescribed } from '../../lab/engineers/registry.ts';
import { askedOf } from '../../lab/engineers/testing/questions.ts';
import { allowingAll } from '../../lab/programs/testing/allowed.ts';
import { settingsFrom } from '../../library/experiment/settings.ts';
import { formNamed, modules, presetNames } from '../../producers/contexts/forms.ts';
import { chosenEngineer, openEngineer } from '../../producers/engineers/engineers.ts';
import { icecore, temporaryFolder } from '../testing/harness.ts';

const root = new URL('../../../', import.meta.url);
const runs = readFileSync(new URL('docs/runs.md', root), 'utf8');
const contexts = readFileSync(new URL('docs/contexts.md', root), 'utf8');
const engineers = readFileSync(new URL('docs/engineers.md', root), 'utf8');

type Row = readonly string[];

/** The rows of the table with such a heading, without it. */
function table(page: string, ...heading: readonly string[]): readonly Row[] {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => heading.every((word, i) => cells(line)[i] === word));
  const rows = lines.slice(at + 2).map(cells);
  const end = rows.findIndex((row) => row.length < 2);
  return rows.slice(0, end < 0 ? rows.length : end);
}

function cells(line: string): string[] {
  return line.startsWith('|')
    ? line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
    : [];
}

function quoted(text = ''): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');
}

describe('docs/runs.md', () => {
  const settings = table(runs, 'setting', 'option', 'what it is', 'default');
  const lake = openLake();
  const other = { ...lake, descriptor: { ...lake.descriptor, environment: 'other' } };
  const onLake: Readonly<Record<string, unknown>> = settingsFrom({}, lake, 'a-name', registry);
  const onOther: Readonly<Record<string, unknown>> = settingsFrom({}, other, 'a-name', registry);

  it('lists exactly the settings of a run file', () => {
    const listed = settings.flatMap(([name]) => quoted(name));
    expect(listed.toSorted()).toEqual(Object.keys(runSettings.shape).toSorted());
  });

  it('lists the defaults', () => {
    const listed = settings.flatMap(([name, , , value]) => {
      const values = quoted(value).map((text) => JSON.parse(text) as unknown);
      return values.length === 0 ? [] : [[quoted(name)[0] ?? '', values[0], values.at(-1)] as const];
    });
    expect(listed.length).toBeGreaterThan(12);
    for (const [name, usual, elsewhere] of listed)
      expect([name, usual, elsewhere]).toEqual([name, onLake[name], onOther[name]]);
    expect(onLake['configuration']).toEqual(lake.start);
    expect(onLake['suites']).toEqual(lake.suites.slice(0, 3).map(({ name }) => name));
    const inWords = Object.keys(onLake).filter((name) => !listed.some(([known]) => known === name));
    expect(inWords.toSorted()).toEqual(['configuration', 'name', 'suites']);
  });

  it('names only options that icecore run has', async () => {
    const { stdout } = await icecore(['run', '--help'], { cwd: temporaryFolder() });
    for (const [, option] of settings) {
      const [named] = /--[a-z-]+/.exec(option ?? '') ?? [];
      if (named !== undefined) expect(stdout).toContain(`  ${named} `);
    }
  });

  it('has a valid run file', () => {
    const [, file = ''] = /```json\n([\s\S]*?)```/.exec(runs) ?? [];
    expect(runFile.safeParse(JSON.parse(file)).success).toBe(true);
  });
});

describe('docs/contexts.md', () => {
  it('lists the forms and the modules', () => {
    expect(table(contexts, 'module').flatMap(([name]) => quoted(name))).toEqual([...modules]);
    const forms = table(contexts, 'form', 'modules').map(([name, of = '']) => ({ name: quoted(name)[0] ?? '', of }));
    expect(forms.map(({ name }) => name)).toEqual(presetNames);
    for (const { name, of } of forms) {
      const [like] = quoted(of);
      const before = like === undefined ? [] : formNamed(like).modules;
      const named = modules.filter((module) => before.includes(module) || of.includes(module));
      expect([name, named]).toEqual([name, formNamed(name).modules]);
    }
  });
});

describe('docs/trainers.md', () => {
  const page = readFileSync(new URL('docs/trainers.md', root), 'utf8');

  it('lists the hyper-parameters of the built-in trainer with their defaults', () => {
    const listed = table(page, 'hyper-parameter').map(([name, , , value]) => [
      quoted(name)[0],
      Number(quoted(value)[0]),
    ]);
    expect(listed.map(([name]) => name)).toEqual(Object.keys(hyperparameters));
    const { saveEvery: _saved, ...usual } = settingsWith({});
    expect(Object.fromEntries(listed)).toEqual(usual);
  });

  it('lists which hyper-parameters can be knobs, with their range and step', () => {
    const listed = table(page, 'hyper-parameter').map(([name, , , , range, step]) => [
      quoted(name)[0],
      range,
      Number(step),
    ]);
    const known = Object.entries(hyperparameters).map(([name, { range, knobRange = range, integer, step }]) => [
      name,
      `${knobRange.min} to ${knobRange.max}${integer === true ? ', whole' : ''}`,
      step,
    ]);
    expect(listed).toEqual(known);
  });

  it('has valid run files with knobs', () => {
    const files = [...page.matchAll(/```json\n(\{[^`]*"knobs"[\s\S]*?)```/g)].map(([, file = '']) => JSON.parse(file));
    expect(files).toHaveLength(2);
    for (const file of files) expect(runFile.safeParse(file).error).toBeUndefined();
  });

  it('has a valid run file with hyper-parameters', () => {
    const [, file = ''] = /```json\n(\{"trainer"[\s\S]*?)```/.exec(page) ?? [];
    expect(runFile.safeParse(JSON.parse(file)).success).toBe(true);
  });
});

describe('docs/engineers.md', () => {
  const listed = table(engineers, '`--engineer`').map(([name, , reads = '']) => ({
    name: /^`([^`]+)`$/.exec(name ?? '')?.[1],
    reads,
  }));

  it('lists every engineer', () => {
    expect(listed.flatMap(({ name }) => name ?? [])).toEqual([
      ...rulesDescribed.map(([name]) => name),
      'base',
      'checkpoint',
      'checkpoint@2',
      'human',
      '"python3 mine.py"',
    ]);
  });

  it('lists the context modules that each engineer reads', () => {
    const environment = openLake();
    const workplace = {
      environment,
      policyOf: () => Promise.reject(new Error('nobody is asked')),
      spoken: null,
      modelOf: () => {
        throw new Error('no model is asked');
      },
      takenNames: [],
      folder: '.',
      allow: allowingAll(),
    };
    let before = '';
    for (const { name, reads } of listed) {
      const listed = reads === 'the same' ? before : reads;
      before = listed;
      if (name === undefined) continue;
      const word = name.startsWith('"') ? ['python3', '-c', 'mine'] : name;
      const engineer = openEngineer(chosenEngineer(word, new Map(), registry), workplace);
      const beside = engineer.readsBeside ?? [];
      const alone = engineer.reads.filter((module) => !beside.includes(module)).join(', ') || 'nothing';
      const some = beside.length === 0 ? alone : `${alone}, and beside any of them ${beside.join(', ')}`;
      const really = engineer.reads.length === modules.length ? 'every module' : some;
      expect([name, listed]).toEqual([name, really]);
    }
  });

  it('lists the keys that a program reads and writes', () => {
    const listed = table(engineers, 'key', 'what it has').flatMap(([keys]) => quoted(keys));
    expect(listed.toSorted()).toEqual(Object.keys(questionFor(askedOf({}))).toSorted());
    const [, answer = ''] = engineers.split('prints one JSON object and ends');
    const rows = table(answer, 'key', 'what it has').flatMap(([keys]) => quoted(keys));
    const whole = { configuration: {}, reasons: [], kept: [], predictions: [], rationale: '' };
    expect(shapeIssues(whole)).toEqual([]);
    expect(rows.toSorted()).toEqual(Object.keys(whole).toSorted());
  });

  it('shows the example program unchanged', () => {
    const [, example] = /```py\n([\s\S]*?)```/.exec(engineers) ?? [];
    expect(example).toBe(readFileSync(new URL('examples/engineers/easier.py', root), 'utf8'));
  });
});
