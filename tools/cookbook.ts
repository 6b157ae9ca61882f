// Updates the answers of docs/sql.md and the outputs of examples/notebooks: runs their queries on the demo's history and on the fork that the page
// describes. The demo is in the named folder, where it may have run before, or else in a temporary one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Recipe, recipeSql, recipes } from '../src/library/sql/recipes.ts';
import { renewNotebooks } from './notebooks/renewed.ts';

export const page = fileURLToPath(new URL('../docs/sql.md', import.meta.url));

/** The fork of the demo's run, as the page says to type it. */
export function forkIn(text: string): string {
  const [, typed] = /^(icecore fork .*)$/m.exec(text) ?? [];
  if (typed === undefined) throw new Error(`${page} does not say how to make its fork`);
  return typed;
}

export interface Question {
  readonly title: string;
  readonly sql: string;
  readonly answer: string;
}

const asked = /^### (\d+\. .*)\n\n```sql\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm;

export function questionsIn(text: string): readonly Question[] {
  return [...text.matchAll(asked)].map(([, title = '', sql = '', answer = '']) => ({ title, sql, answer }));
}

/** Without ids of events, which differ in every history. */
export function alike(answer: string): string {
  return answer.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
}

/** The recipe of a query of the page, named by the command in the first line of its SQL. */
export function recipeOf(sql: string): Recipe | undefined {
  const [, name] = /^\/\* icecore sql --recipe (\S+)/.exec(sql) ?? [];
  return recipes.find((recipe) => recipe.name === name);
}

/** A recipe as the page shows it, for the run of the demo and the stage on the page. */
export function pageSql(recipe: Recipe, sql: string): string {
  const [reference = '', stage = ''] = /first-run(?:@(\d+))?/.exec(sql.split('\n')[0] ?? '') ?? [];
  const typed = `/* icecore sql --recipe ${recipe.name}${reference === '' ? '' : ` ${reference}`} */`;
  return `${typed}\n${recipeSql(recipe, 'first-run', stage === '' ? null : Number(stage))}\n`;
}

/** Uses the current recipes; equivalent answers stay unchanged. */
function answeredAnew(text: string, answerTo: (sql: string) => string): string {
  return text.replace(asked, (block: string, title: string, before: string, answered: string) => {
    const recipe = recipeOf(before);
    if (recipe === undefined) throw new Error(`${page}: question ${title} names no recipe`);
    const sql = pageSql(recipe, before);
    const answer = answerTo(sql);
    return block
      .replace(title, () => title.replace(/ .*/, () => ` ${recipe.question}`))
      .replace(before, () => sql)
      .replace(`\`\`\`text\n${answered}`, () => `\`\`\`text\n${alike(answer) === alike(answered) ? answered : answer}`);
  });
}

function icecore(cwd: string, ...argv: readonly string[]): string {
  const command = fileURLToPath(new URL('../bin/icecore.cjs', import.meta.url));
  const env = { ...process.env, ICECORE_WORKSPACE: '', ICECORE_LEDGER: '', ICECORE_BLOBS: '', ICECORE_TABLES: '' };
  return execFileSync(process.execPath, [command, ...argv], { cwd, env, encoding: 'utf8' });
}

async function renew(folder: string): Promise<void> {
  const text = readFileSync(page, 'utf8');
  icecore('.', 'demo', folder);
  const { total } = JSON.parse(icecore(folder, 'runs', '--json')) as { total: number };
  if (total === 1) icecore(folder, ...forkIn(text).split(' ').slice(1));
  writeFileSync(
    page,
    answeredAnew(text, (sql) => icecore(folder, 'sql', '--quiet', sql)),
  );
  await renewNotebooks(folder);
}

if (import.meta.main) {
  const [named] = process.argv.slice(2);
  const folder = named === undefined ? mkdtempSync(join(tmpdir(), 'icecore-cookbook-')) : resolve(named);
  try {
    await renew(folder);
  } finally {
    if (named === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
