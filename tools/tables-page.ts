// The documentation of the tables as the page docs/tables.md.
import { type DocumentedTable, documentedTables } from '../src/projections/documentation.ts';
import { tableDefinitions } from '../src/projections/tables/catalogue.ts';

const opening = `# Tables

The tables of \`icecore sql\` with all columns, generated from src/projections/tables by \`npm run schemas\`. [SQL](sql.md) has queries to copy;
\`icecore list tables NAME\` prints one table.

- \`run\` is the name of a run. Tables with \`run\` also have \`run_id\` (VARCHAR), its identity, which they do not list. Stages count from 1, times are in UTC, shares are from 0 to 1.
- \`family\` is the task family of a row, and null for all of them.
- \`stage\` of a summary, context, proposal, decision or change is the stage being configured; \`evidence_through\` is the last stage with evidence.
- \`id\` is the event of a row: \`icecore event show ID\`.
- A fork has only its own stages in most tables; join the stages it shares by \`lineage\`. Tables about the history of a run include them.`;

export async function tablesPage(): Promise<string> {
  const tables = await documentedTables();
  const overview = tables.map(({ name, meaning }) => `| [${name}](#${name}) | ${cell(firstSentence(meaning))} |`);
  return `${[
    opening,
    ['| table | what it holds |', '|---|---|', ...overview].join('\n'),
    ...tables.map(section),
    macroSection(),
  ].join('\n\n')}\n`;
}

function section({ name, meaning, columns }: DocumentedTable): string {
  const rows = columns
    .filter(isOwn)
    .map((column) => `| \`${column.name}\` | ${cell(column.type)} | ${cell(column.meaning)} |`);
  const more = meaning.slice(firstSentence(meaning).length).trim();
  return [
    `## ${name}`,
    '',
    ...(more === '' ? [] : [more, '']),
    '| column | type | what it means |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Not one that means the same in every table. */
function isOwn({ name, meaning }: DocumentedTable['columns'][number]): boolean {
  return name !== 'run_id' || meaning !== 'the identity of the run';
}

function macroSection(): string {
  const meanings = tableDefinitions().flatMap(({ columns, meaning }) => (columns.length === 0 ? [meaning] : []));
  return ['## Macros', ...meanings].join('\n\n');
}

function firstSentence(meaning: string): string {
  const [sentence] = meaning.split(/(?<=\.) (?=[A-Z])/);
  return sentence ?? meaning;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
