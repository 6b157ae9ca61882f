// The command lines on the pages have names and options that exist.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { globalOptions } from '../src/cli/globals.ts';
import { commands } from '../src/cli/testing/commands.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = ['docs/commands.md', 'docs/events.md', 'docs/tables.md'];
/** Of plugins that the pages define. */
const ofPlugins = ['acme', 'import csv'];

interface Line {
  readonly text: string;
  readonly words: readonly string[];
}

/** Lines in blocks of code that begin with the command, up to a pipe, a comment or the explanation beside it. */
function linesIn(page: string): readonly Line[] {
  const text = readFileSync(new URL(page, `file://${root}`), 'utf8').replaceAll(/ \\\n */g, ' ');
  const code = text.match(/^```(?:sh|console)\n.*?^```$|^ {4}\S[^\n]*$/gms)?.join('\n') ?? '';
  return [...code.matchAll(/^ *(?:\$ )?(?:npx )?icecore (.*)$/gm)].map(([line, rest = '']) => {
    const [own = ''] = rest.split(/ {2,}| +[|>#<] | -- | && /);
    return { text: line.trim(), words: own.match(/"[^"]*"|'[^']*'|\S+/g) ?? [] };
  });
}

async function unknownIn({ words }: Line): Promise<readonly string[]> {
  const named = words.filter((word) => !word.startsWith('-'));
  const name = [named.slice(0, 2).join(' '), named[0] ?? ''].find((candidate) =>
    [...ofPlugins, ...commands.all.map((entry) => entry.name)].includes(candidate),
  );
  if (name === undefined) return [named[0] ?? ''];
  const entry = commands.all.find((one) => one.name === name);
  if (entry === undefined) return [];
  const { options } = await entry.load();
  const flags = [...Object.values(options).map(({ usage }) => usage), ...globalOptions.map((one) => one.flags)];
  const known = flags.flatMap((usage) => usage.match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? []);
  return words.filter((word) => /^--?[a-z]/.test(word) && !known.includes(word.split('=')[0] ?? ''));
}

it.each(globSync(['*.md', 'docs/*.md'], { cwd: root }).filter((page) => !generated.includes(page)))(
  'the commands of %s exist with their options',
  async (page) => {
    const faults = await Promise.all(
      linesIn(page).map(async (line) => ({ line: line.text, unknown: await unknownIn(line) })),
    );
    expect(faults.filter(({ unknown }) => unknown.length > 0)).toEqual([]);
  },
);
