// Runs the sessions of README.md, docs/contexts.md and docs/why.md after the real demo and compares their output. Runs the queries of
// docs/sql.md and of the notebooks on the same history.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoReport } from '../schemas/output.ts';
import type { Why } from '../schemas/why-output.ts';
import { rowsByWhy } from '../src/analysis/why/testing/answers.ts';
import { rowsByTables } from '../src/analysis/why/testing/questions.ts';
import { usualRun } from '../src/cli/demo/demo.ts';
import { inFolder, json, lines, shell } from '../src/cli/testing/harness.ts';
import { hold } from '../src/projections/warehouse/holding.ts';
import { alike as alikeIn, page as cookbook, forkIn, questionsIn } from '../tools/cookbook.ts';
import { whyNotInPython } from '../tools/notebooks/executed.ts';
import { isInPython, notebookIn, names as notebooks, pathOf, alike as shownBy } from '../tools/notebooks/notebook.ts';
import { executedBeside } from '../tools/notebooks/renewed.ts';

const pages = ['README.md', 'docs/contexts.md', 'docs/why.md'].map((name) => ({
  name,
  text: readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'),
}));

const runs = readFileSync(new URL('../docs/runs.md', import.meta.url), 'utf8');

interface Session {
  readonly typed: string;
  /** A line `...` matches any lines. */
  readonly printed: readonly string[];
}

function sessionsIn(text: string): Session[] {
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
  return blocks.flatMap((block) =>
    block.split(/^\$ /m).flatMap((part): Session[] => {
      const [typed = '', ...printed] = part.replace(/\n$/, '').split('\n');
      return typed === '' ? [] : [{ typed, printed: printed.map(alike) }];
    }),
  );
}

/** Without what differs every time: identities, times, durations, the commit, how icecore is called. */
function alike(line: string): string {
  return line
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/^( {2}(?:identity|run) +)\w+$/, '$1RUN')
    .replace(/^( {2}code +).*$/, '$1CODE')
    .replace(/^( {2})node \S+icecore\.cjs /, '$1icecore ')
    .replace(/(begun) \S+$/, '$1 THEN')
    .replace(/^( {2}decided by .*), \d{4}-\d\d-\d\d \d\d:\d\d$/, '$1, THEN')
    .replace(/(evidence-)\w{12}(-)/g, '$1RUN$2')
    .replace(/(?:[0-9]+ min )?[0-9.]+ s$/, 'SECONDS')
    .trimEnd();
}

/** The first piece between gaps that was not printed in its place; null if all were and nothing else was printed. */
function missingIn(printed: readonly string[], shown: readonly string[]): string | null {
  const pieces = `\n${shown.join('\n')}\n`.split('\n...\n').map((piece) => `\n${piece.replace(/^\n|\n$/g, '')}\n`);
  const whole = `\n${printed.join('\n')}\n`;
  let at = 0;
  for (const [i, piece] of pieces.entries()) {
    if (piece === '\n\n') continue;
    const found = whole.indexOf(piece, at);
    if (found < 0 || (i === 0 && found > 0)) return piece;
    at = found + piece.length - 1;
  }
  const isWhole = pieces.at(-1) === '\n\n' || at === whole.length - 1;
  return isWhole ? null : 'the end';
}

describe('what the pages show of the demo', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'icecore-shown-'));
  const folder = join(cwd, 'icecore-demo');
  const run = `icecore run ${usualRun.join(' ')} --name first-run`;
  let printed: readonly string[] = [];
  let report: DemoReport;
  beforeAll(async () => {
    const demo = await shell('icecore demo --json', cwd);
    expect([demo.code, demo.code === 0 ? '' : demo.stderr]).toEqual([0, '']);
    report = JSON.parse(demo.stdout) as DemoReport;
    // Lines that appear depending on elapsed time.
    printed = lines(demo.stderr).filter((line) => !/^stage \d+ of /.test(line));
  }, 600_000);
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  async function printedBy(typed: string): Promise<readonly string[]> {
    if (typed === run) return printed.map(alike);
    // A run cannot be started twice.
    const began = report.rows.find(({ command }) => command === typed && / --file /.test(command));
    if (began !== undefined) return lines(began.output).map(alike);
    const { code, stdout } = await shell(typed, folder);
    expect([typed, code]).toEqual([typed, 0]);
    return stdout.replace(/\n$/, '').split('\n').map(alike);
  }

  it.each(pages)('is real output, in $name', async ({ text }) => {
    const sessions = sessionsIn(text);
    expect(sessions.length).toBeGreaterThan(0);
    for (const { typed, printed } of sessions) {
      const really = await printedBy(typed);
      const missing = missingIn(really, printed);
      if (missing !== null) expect({ missing, really }).toEqual({ missing: null, really: printed });
    }
  });

  it('starts with the commands of the demo, in order', () => {
    const [{ text = '' } = {}] = pages;
    const shown = sessionsIn(text).map(({ typed }) => typed);
    const typed = report.rows.map(({ command }) => command).slice(1);
    expect(shown.slice(0, typed.length)).toEqual(typed);
  });

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)('has a trainer that trains, in README.md', async () => {
    const [, program = ''] = /```python\n(.*?)```/s.exec(pages[0]?.text ?? '') ?? [];
    const place = mkdtempSync(join(cwd, 'trainer-'));
    writeFileSync(join(place, 'train.py'), program);
    const { code, stdout } = await shell('icecore lake train --budget updates=20 --json -- python3 train.py', place);
    expect(code).toBe(0);
    expect(JSON.parse(lines(stdout).at(-1) ?? '')).toMatchObject({ spent: { updates: 20 } });
  });

  it('and the events of a run are those listed in docs/runs.md', async () => {
    const { stdout } = await shell('icecore event tail -n 1000000 --json', folder);
    const events = lines(stdout).map((line) => JSON.parse(line) as { stream: string; type: string });
    const recorded = events.flatMap(({ stream, type }) => (/^(run|evidence)-/.test(stream) ? [type] : []));
    const [, table = ''] = /## A stage, step by step\n([\s\S]*?)\n\n[^|]/.exec(runs) ?? [];
    const listed = new Set([...table.matchAll(/`([A-Z]\w+)`/g)].map(([, type]) => type));
    const others: readonly unknown[] = ['ProposalRejected', 'ProposalErrored'];
    expect(new Set([...recorded, ...others])).toEqual(listed);
    expect([...listed].filter((type) => !others.includes(type))).toEqual([...new Set(recorded)]);
  });

  describe('the queries of docs/sql.md', () => {
    const text = readFileSync(cookbook, 'utf8');
    const questions = questionsIn(text);
    beforeAll(async () => {
      const forked = await shell(forkIn(text), folder);
      expect([forked.code, forked.code === 0 ? '' : forked.stderr]).toEqual([0, '']);
    }, 600_000);

    it('have the stated number, each with its answer', () => {
      expect(questions.map(({ title }) => title)).toEqual(
        [...text.matchAll(/^### (\d+\. .*)$/gm)].map(([, title]) => title),
      );
      expect(questions).toHaveLength(20);
    });

    it.each(questions)('$title', async ({ sql, answer }) => {
      const ran = await inFolder(folder)('sql', '--quiet', sql);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(alikeIn(ran.stdout), 'After a change, npm run cookbook updates the answers').toBe(alikeIn(answer));
    });

    // notebooks.system.test.ts reports why one is skipped.
    it.each(notebooks)(
      'and the outputs of %s',
      async (name) => {
        const notebook = notebookIn(pathOf(name));
        if (isInPython(notebook) && whyNotInPython() !== null) return;
        const outputs = shownBy(await executedBeside(folder, name));
        expect(outputs, 'After a change, npm run cookbook updates the outputs').toEqual(shownBy(notebook));
      },
      120_000,
    );
  });

  it('and the output in docs/compare.md of it and its fork', async () => {
    const text = readFileSync(new URL('../docs/compare.md', import.meta.url), 'utf8');
    for (const { typed, printed } of sessionsIn(text)) expect(await printedBy(typed)).toEqual(printed);
  });

  describe('every number of icecore why', () => {
    it.each([2, 3])('on stage %d equals the results of the queries in docs/why.md', async (stage) => {
      const icecore = inFolder(folder);
      const why = json(await icecore('why', `first-run@${stage}`, '--detail', '4', '--json')) as Why;
      const tables = await hold((await icecore('sql', '--path')).stdout.trim(), { access_mode: 'READ_ONLY' });
      try {
        const connection = await tables.connect();
        const printed = rowsByWhy(why);
        const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS();
        expect(printed).toEqual(await rowsByTables(ask, why));
        expect(Object.values(printed).filter((rows) => rows.length > 0).length).toBeGreaterThan(5);
      } finally {
        tables.release();
      }
    });
  });
});
