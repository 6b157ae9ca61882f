// Updates the answers of docs/sql.md and the outputs of examples/notebooks: runs their queries on the demo's history and on the fork that the page
// describes. The demo is in the named folder, where it may have run before, or else in a temporary one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** Equivalent answers stay unchanged. */
function answeredAnew(text: string, answerTo: (sql: string) => string): string {
  return text.replace(asked, (block: string, _title: string, sql: string, before: string) => {
    const answer = answerTo(sql);
    return alike(answer) === alike(before)
      ? block
      : block.replace(`\`\`\`text\n${before}`, () => `\`\`\`text\n${answer}`);
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
