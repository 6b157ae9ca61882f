// Executes the notebooks of examples/notebooks as users do: next to a ledger, with the copy of the tables that the real command makes. Their
// results must equal those of icecore sql. demo-pages.system.test.ts checks that their outputs are those of the demo.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addDecision,
  addProposal,
  addStage,
  descriptorOf,
  evenly,
  type Knobs,
  Recording,
  sizes,
  wholeRun,
} from '../src/analysis/history/testing/recording.ts';
import { inFolder } from '../src/cli/testing/harness.ts';
import { confidence, meanInterval } from '../src/lab/statistics/distributions.ts';
import { openLedger } from '../src/ledger/open.ts';
import { executed, whyNotInPython } from '../tools/notebooks/executed.ts';
import { type Notebook, folder as notebooks, type Row, tableIn, textsOf } from '../tools/notebooks/notebook.ts';

const reason = whyNotInPython();
if (reason !== null) console.warn(`Tests of notebooks in Python are skipped: ${reason}`);

/** Solved tasks of a hundred validation tasks, for each family in the second stage, by engineer and seed. */
const came = {
  gpt: { 1: [90, 60, 30], 2: [80, 70, 20], 3: [95, 50, 45] },
  uniform: { 1: [80, 50, 20], 2: [85, 50, 25], 3: [70, 40, 30] },
} as const;

type Engineer = keyof typeof came;
const engineers = ['gpt', 'uniform'] as const;
const seeds = [1, 2, 3] as const;

function recorded(engineer: Engineer, seed: (typeof seeds)[number]): Recording {
  const name = `${engineer}-${seed}`;
  const recording = new Recording(name, Date.UTC(2026, 6, seed, engineer.length));
  recording.add('RunStarted', null, {
    name,
    environment: { name: 'lake', version: '1' },
    descriptor: descriptorOf(sizes),
    options: { engineer, name, seed, stages: 2, budget: { 'agent-steps': 400_000 } },
    seed,
    policy: { name: 'neural', version: '1', parameters: {} },
    trainer: { name: 'grpo' },
    engineer: { name: engineer },
    contextForm: { name: 'combined', modules: ['failures'] },
    budget: { 'agent-steps': 400_000 },
    stages: 2,
  });
  const first = evenly(sizes);
  addDecision(recording, 0, { knobs: first, by: 'initial' });
  const failures = { 3: { hole: 20 }, 5: { hole: 60, 'swap|conflict': 20 } };
  addStage(recording, 1, { knobs: first, valid: { 3: 70, 4: 40, 5: 10 }, failures, signal: 0.5 });
  const second: Knobs = { ...first, '3.data': 0.2, '5.data': 1 - 0.2 - 1 / 3 };
  const cites = engineer === 'gpt' ? ['FC5.hole'] : [];
  addProposal(
    recording,
    1,
    {
      knobs: second,
      changes: ['3', '5'].map((family) => {
        const knob = `${family}.data`;
        return { knob, family, from: 1 / 3, to: second[knob] ?? 0, cites, reason: null };
      }),
    },
    engineer,
  );
  const [three, four, five] = came[engineer][seed];
  addStage(recording, 2, { knobs: second, valid: { 3: three, 4: four, 5: five }, failures, signal: 0.25 });
  return recording;
}

const rate = (engineer: Engineer, seed: (typeof seeds)[number]): number =>
  came[engineer][seed].reduce((sum, count) => sum + count, 0) / 300;

/** A folder with a ledger of the recordings, and the notebooks. */
async function placeWith(...recordings: readonly Recording[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-notebooks-'));
  mkdirSync(join(folder, '.icecore'));
  const ledger = await openLedger(`sqlite:${join(folder, '.icecore', 'ledger.db')}`, { create: true });
  for (const recording of recordings) await recording.writeTo(ledger);
  await ledger.close();
  cpSync(notebooks, folder, { recursive: true });
  return folder;
}

/** The first table with these columns. */
function tableWith(notebook: Notebook, ...columns: readonly string[]): readonly Row[] {
  const tables = textsOf(notebook).flatMap((texts) => texts.map(tableIn));
  const found = tables.find(([row]) => row !== undefined && columns.every((column) => column in row));
  if (found === undefined) throw new Error(`no table with ${columns.join(', ')} in ${JSON.stringify(tables)}`);
  return found;
}

describe('the notebooks', () => {
  let place = '';
  let curriculum: Notebook;
  let decisions: Notebook;
  beforeAll(async () => {
    const pairs = engineers.flatMap((engineer) => seeds.map((seed) => recorded(engineer, seed)));
    place = await placeWith(wholeRun(), ...pairs);
    decisions = await executed(join(place, 'decisions.ipynb'));
    if (reason === null) curriculum = await executed(join(place, 'curriculum.ipynb'));
  }, 240_000);
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  /** The answer of icecore sql, as a notebook would show it. */
  async function answerOf(sql: string): Promise<readonly Row[]> {
    const { stdout } = await inFolder(place)('sql', sql, '--format', 'json');
    const { rows } = JSON.parse(stdout) as { rows: readonly Readonly<Record<string, unknown>>[] };
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, String(value)])));
  }

  /** Numbers are shown with three decimals. */
  function agree(shown: readonly Row[], wanted: readonly Row[]): void {
    const columns = Object.keys(wanted[0] ?? {});
    expect(shown).toHaveLength(wanted.length);
    for (const [i, row] of wanted.entries()) {
      for (const column of columns) {
        const [shownValue = '', value = ''] = [shown[i]?.[column], row[column]];
        const isNumber = value !== '' && Number.isFinite(Number(value));
        if (isNumber) expect(Number(shownValue), `${column} of ${JSON.stringify(row)}`).toBeCloseTo(Number(value), 2);
        else expect(shownValue || 'null').toBe(value);
      }
    }
  }

  describe.skipIf(reason !== null)('in Python', () => {
    it('finds the runs', async () => {
      const runs =
        'SELECT run, engineer, seed, done, valid, valid_low, valid_high FROM runs ORDER BY done DESC, started_at, run';
      agree(tableWith(curriculum, 'run', 'valid_low'), await answerOf(runs));
    });

    it('shows what was mastered, with intervals, and draws it', async () => {
      const pivot = `PIVOT (FROM curriculum WHERE run = 'quiet-otter' AND family IS NOT NULL)
        ON stage USING first(valid) GROUP BY position, family ORDER BY position`;
      agree(tableWith(curriculum, 'position', '1', '3', 'valid_low'), await answerOf(pivot));
      const pictures = curriculum.cells.flatMap(({ outputs = [] }) =>
        outputs.filter(({ data }) => data?.['image/png']),
      );
      expect(pictures).toHaveLength(3);
    });

    it('shows the gains of changes, and the evidence they cite', async () => {
      const changes = `SELECT stage, knob, rests_on, gain FROM knob_changes WHERE run = 'quiet-otter'
        ORDER BY stage, gain DESC, knob`;
      const shown = tableWith(curriculum, 'knob', 'gain_low');
      agree(shown, await answerOf(changes));
      for (const { gain, gain_low, gain_high } of shown) {
        expect([Number(gain_low) < Number(gain), Number(gain) < Number(gain_high)]).toEqual([true, true]);
      }
    });

    it('compares engineers with seeds as units', () => {
      const differences = seeds.map((seed) => rate('gpt', seed) - rate('uniform', seed));
      const mean = meanInterval(differences, confidence);
      const [shown] = tableWith(curriculum, 'mean_difference');
      expect(shown).toMatchObject({ engineer: 'gpt', other: 'uniform', decided_apart: '2', seeds: '3' });
      expect(Number(shown?.['mean_difference'])).toBeCloseTo(mean?.value ?? 0, 3);
      expect(Number(shown?.['low'])).toBeCloseTo(mean?.low ?? 0, 2);
      expect(Number(shown?.['high'])).toBeCloseTo(mean?.high ?? 0, 2);
    });

    it('has the alerts of the run', async () => {
      agree(
        tableWith(curriculum, 'kind', 'before_value'),
        await answerOf(
          "SELECT stage, kind, family, measure, before_value, now_value FROM alerts WHERE run = 'quiet-otter'",
        ),
      );
    });

    it('leads to icecore why', async () => {
      const typed = textsOf(curriculum).flat().join('\n');
      const [, run = '', knob = ''] = /^icecore why (\S+) (\S+)$/m.exec(typed) ?? [];
      expect(await inFolder(place)('why', run, knob)).toMatchObject({ code: 0, stdout: expect.stringContaining(knob) });
    });
  });

  describe('in JavaScript', () => {
    it('finds the runs', async () => {
      const runs =
        'SELECT run, engineer, seed, done, valid, valid_low, valid_high FROM runs ORDER BY done DESC, started_at, run';
      agree(tableWith(decisions, 'run', 'valid_low'), await answerOf(runs));
    });

    it('shows decisions and their effects', async () => {
      const decided = `SELECT d.run, d.stage, decided_by, d.engineer, gain FROM decisions AS d
        JOIN curriculum AS c ON c.run = d.run AND c.stage = d.stage AND family IS NULL
        WHERE in_force AND decided_by <> 'initial' AND d.run = 'quiet-otter' ORDER BY d.stage`;
      agree(tableWith(decisions, 'decided_by', 'changed'), await answerOf(decided));
    });

    it('draws curves, the settings of knobs, and predictions', () => {
      const drawn = decisions.cells.flatMap(({ outputs = [] }) =>
        outputs.flatMap(({ data }) => data?.['image/svg+xml'] ?? []),
      );
      expect(drawn.filter((line) => line.startsWith('<svg'))).toHaveLength(4);
    });

    it('leads to icecore why', async () => {
      const [, run = '', knob = ''] = /^icecore why (\S+) (\S+)$/m.exec(textsOf(decisions).flat().join('\n')) ?? [];
      expect(await inFolder(place)('why', run, knob)).toMatchObject({ code: 0, stdout: expect.stringContaining(knob) });
    });

    it('uses the package versions that icecore is tested with', () => {
      const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
        dependencies: Readonly<Record<string, string>>;
      };
      const text = readFileSync(join(notebooks, 'decisions.ipynb'), 'utf8');
      const asked = [...text.matchAll(/'npm:(@?[^@]+)@([^']+)'/g)].map(([, name = '', version]) => [name, version]);
      expect(asked).toHaveLength(3);
      for (const [name = '', version] of asked)
        expect([name, dependencies[name]?.replace('^', '')]).toEqual([name, version]);
    });

    it('stops at an invalid query', async () => {
      await expect(changed('done DESC', 'dune DESC')).rejects.toThrow(/cell 2 of .*Binder Error.*"dune"/s);
    });

    it('says what to do if no run is far enough', async () => {
      await expect(changed('done > 0', 'done > 3')).rejects.toThrow('icecore demo records one');
    });
  });

  /** The result of a notebook after replacing one text, with the existing copy of the tables. */
  async function changed(from: string, to: string): Promise<Notebook> {
    const text = readFileSync(join(notebooks, 'decisions.ipynb'), 'utf8');
    expect(text).toContain(from);
    const path = join(place, 'changed.ipynb');
    writeFileSync(path, text.replace(from, to));
    return await executed(path, { ICECORE_SNAPSHOT: join(place, '.icecore', 'ledger.tables', 'snapshot.duckdb') });
  }
});
