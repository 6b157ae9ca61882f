// The table of commands in docs/security.md, from the rows that test/strangers.hostile.test.ts tests. Without --write, only reports whether the page
// is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Verb, verbs } from '../test/strangers/verbs.ts';

const page = new URL('../docs/security.md', import.meta.url);
const begin = '<!-- The table is made by: node tools/verb-table.ts --write -->\n';
const end = '<!-- End of the table. -->\n';

function verbTable(rows: readonly Verb[] = verbs): string {
  const columns = ['command', 'reads', 'runs', 'sends', 'writes', 'asks first'];
  // Commands that do the same share a row.
  const alike = Map.groupBy(rows, ({ reads, runs, sends, writes, asks }) =>
    JSON.stringify([reads, runs, sends, writes, asks]),
  );
  const lines = [...alike.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { reads, runs, sends, writes, asks } = first;
    const names = own.map(({ name }) => `\`${name}\``).join(', ');
    return [[names, reads, runs, sends, writes, asks].map((cell) => (cell === 'nothing' || cell === '' ? '-' : cell))];
  });
  return [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** The page with the updated table. Throws if it has no markers for one. */
export function withTable(text: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from)
    throw new Error(`docs/security.md has no markers for the table: "${begin}" and "${end}"`);
  return `${text.slice(0, from)}${begin}\n${verbTable()}\n${text.slice(to)}`;
}

export function securityPage(): string {
  return readFileSync(page, 'utf8');
}

if (import.meta.main) {
  if (process.argv.includes('--write')) writeFileSync(page, withTable(securityPage()));
  if (securityPage() !== withTable(securityPage())) {
    process.stderr.write('the table of commands in docs/security.md is stale; run: node tools/verb-table.ts --write\n');
    process.exitCode = 1;
  }
}
