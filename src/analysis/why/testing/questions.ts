// The questions of docs/why.md: what SQL answers about a decision, to compare with `why`.
import { readFileSync } from 'node:fs';
import type { Why } from '../../../../schemas/why-output.ts';
import { type Cells, type Row, sameRows } from './rows.ts';

export type Ask = (sql: string) => Promise<readonly Row[]>;

const page = new URL('../../../../docs/why.md', import.meta.url);

/** By title, in their order. */
function questions(): ReadonlyMap<string, string> {
  const found = readFileSync(page, 'utf8').matchAll(/^### (.*)\n\n```sql\n([\s\S]*?)^```$/gm);
  return new Map([...found].map(([, title = '', sql = '']) => [title, sql]));
}

/** What the page asks of a stage of one run, asked of another. */
function askedOf(sql: string, { run, stage }: Pick<Why, 'run' | 'stage'>): string {
  return sql
    .replaceAll(/\brun = 'first-run'/g, `run_id = '${run.replaceAll("'", "''")}'`)
    .replaceAll(/\bstage IN \(2, 3\)/g, `stage IN (${stage - 1}, ${stage})`)
    .replaceAll(/(?<=(?:stage|evidence_through) = )[23]\b/g, (asked) => String(stage + Number(asked) - 3));
}

/** The rows of all answers, by the titles of their questions; of families, those that it includes. */
export async function rowsByTables(
  ask: Ask,
  why: Why,
  titles: readonly string[] = [...questions().keys()],
): Promise<Readonly<Record<string, Cells>>> {
  const answers: Record<string, Cells> = {};
  for (const [title, sql] of questions()) {
    if (!titles.includes(title)) continue;
    const rows = await ask(askedOf(sql, why));
    answers[title] = sameRows(title === ofAllFamilies ? rows.filter((row) => isShown(row, why)) : rows);
  }
  return answers;
}

const ofAllFamilies = 'The learning signal of each family, before and after';

function isShown({ family: name }: Row, { effects }: Why): boolean {
  return effects.some(({ family }) => family === name);
}
