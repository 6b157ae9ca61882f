// Generates docs/commands.md from the declarations of the commands. With --write, writes it; otherwise, only reports whether it is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import type { CommandEntry, CommandModule, Declared } from '../src/cli/command.ts';
import { globalOptions } from '../src/cli/globals.ts';
import { optionGroups } from '../src/cli/help.ts';
import { commands as everyCommand } from '../src/cli/testing/commands.ts';

const page = new URL('../docs/commands.md', import.meta.url);

const { all: commands } = everyCommand;
const groups = [...new Set(commands.map(({ group }) => group))];

async function commandsPage(): Promise<string> {
  const modules = new Map(await Promise.all(commands.map(async (entry) => [entry.name, await entry.load()] as const)));
  const shared = sharedOptions([...modules.values()]);
  const texts = groups.map((group) => {
    const own = commands.filter((command) => command.group === group);
    const sections = own.map((entry) => sectionOf(entry, modules.get(entry.name) ?? fail(entry.name), shared));
    const index = own.map(({ name, summary }) => [`[${name}](#${name.replace(' ', '-')})`, summary]);
    return `## ${titleOf(group)}\n\n${table(index)}\n${sections.join('\n')}`;
  });
  return `# Commands

Every command with its arguments, options and examples, generated from their declarations by \`npm run schemas\`. In the terminal,
\`icecore help all\` lists the commands and \`icecore COMMAND --help\` explains one. All commands have these options:

${table(globalOptions.map(({ flags, summary }) => [`\`${flags}\``, summary]))}
RUN is a name or the start of one, an identity or at least its first four characters, or \`latest\`. RUN@3 is stage 3 and the decision that configured it, made from history
through stage 2; RUN@next is the decision after the last complete stage. Numbers may be written as \`400_000\`,
\`400k\`, \`1M\` or \`1e6\`. Flags beat \`ICECORE_WORKSPACE\` and \`ICECORE_LEDGER\`, which beat the settings (\`icecore.config.json\` or \`icecore.config.ts\`). Results go to standard
output, messages and progress to standard error. Exit codes: 0 done, 1 failed (a wrong file or an unknown run, too), 2 misused (a wrong command line or icecore.config), 130 stopped by Ctrl-C.

Several commands share these options, which their sections only name:

${table([...shared.values()])}
${texts.join('\n')}`;
}

function titleOf(group: string): string {
  return group === 'hidden' ? 'For programs and shells' : `${group.charAt(0).toUpperCase()}${group.slice(1)}`;
}

function fail(name: string): never {
  throw new Error(`there is no command ${name}`);
}

type Row = readonly [usage: string, meaning: string];

const fewestSharing = 4;

/** By usage and meaning: a row for each option that several commands share. */
function sharedOptions(modules: readonly CommandModule[]): ReadonlyMap<string, Row> {
  const rows = modules.flatMap(({ options }) => rowsOf(Object.values(options)));
  const often = Map.groupBy(rows, (row) => row.join());
  const shared = [...often.values()].flatMap((same) => (same.length < fewestSharing ? [] : same.slice(0, 1)));
  return new Map(shared.map((row) => [row.join(), row]));
}

/** The summary is in the index above; notes say it again in more words. */
function sectionOf(
  { name, summary }: CommandEntry,
  { args, options, notes = '', examples, headings = {} }: CommandModule,
  shared: ReadonlyMap<string, Row>,
): string {
  const own = optionGroups({ options, headings }).map((group) => ({
    heading: group.heading,
    rows: rowsOf(group.options).filter((row) => !shared.has(row.join())),
  }));
  const others = rowsOf(Object.values(options)).filter((row) => shared.has(row.join()));
  const usage = ['icecore', name, ...Object.values(args).map((declared) => declared.usage)].join(' ');
  const typed = examples.map(([line, does]) => `# ${does}\n${line}\n`).join('');
  const parts = [
    `### ${name}`,
    `\`${usage}\``,
    ...(notes === '' ? [`${summary}.`] : [notes.trim().split('\n\n').map(quoted).join('\n\n')]),
    ...[{ heading: null, rows: rowsOf(Object.values(args)) }, ...own].flatMap(({ heading, rows }) =>
      rows.length === 0 ? [] : [...(heading === null ? [] : [`${heading}:`]), table(rows).trimEnd()],
    ),
    ...(others.length === 0 ? [] : [`Shared options: ${others.map(([usage]) => usage).join(', ')}.`]),
    `\`\`\`sh\n${typed}\`\`\``,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Indented text is verbatim; elsewhere words like `STREAM@REVISION` or `<think>` must not be read as markup. */
function quoted(paragraph: string): string {
  if (/\n {2}/.test(paragraph) || paragraph.startsWith('  ')) return `\`\`\`text\n${paragraph}\n\`\`\``;
  return paragraph.replaceAll('<', '&lt;').replaceAll('*', '\\*');
}

function rowsOf(declared: readonly Declared<unknown>[]): readonly Row[] {
  return declared.map(({ usage, describe, more }) => {
    const value = more.default ?? more.otherwise;
    return [`\`${usage}\``, value === undefined ? describe : `${describe} (default: ${value})`];
  });
}

function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  return ['| | |', '|---|---|', ...cells.map((row) => `| ${row.join(' | ')} |`)].map((line) => `${line}\n`).join('');
}

/** The files that are stale. */
export async function staleTexts(): Promise<readonly string[]> {
  return textOf(page) === (await commandsPage()) ? [] : ['docs/commands.md'];
}

function textOf(path: URL): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

if (import.meta.main) {
  if (process.argv.includes('--write')) writeFileSync(page, await commandsPage());
  const stale = await staleTexts();
  if (stale.length > 0) process.stderr.write(`stale: ${stale.join(', ')}; run: node tools/commands-page.ts --write\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
}
