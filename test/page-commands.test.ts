// Checks that the command lines of the documentation use existing commands and options.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { globalOptions, partAtName } from '../src/cli/globals.ts';
import { commands } from '../src/cli/testing/commands.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = ['docs/commands.md', 'docs/events.md', 'docs/tables.md'];
/** Commands of a plugin that a page defines. */
const ofPlugins = ['acme'];

interface Line {
  readonly text: string;
  readonly words: readonly string[];
}

/** Command lines in code blocks, up to a pipe, a comment or an explanation, and command lines quoted in sentences. */
function linesIn(page: string): readonly Line[] {
  const text = readFileSync(new URL(page, `file://${root}`), 'utf8').replaceAll(/ \\\n */g, ' ');
  const code = text.match(/^```(?:sh|console)\n.*?^```$|^ {4}\S[^\n]*$/gms)?.join('\n') ?? '';
  const quoted = text.replace(/^```.*?^```$/gms, '').matchAll(/`icecore\s([^`]+)`/g);
  return [...code.matchAll(/^ *(?:\$ )?(?:npx )?icecore (.*)$/gm), ...quoted].map(([line, rest = '']) => {
    const [own = ''] = rest.replaceAll('\n', ' ').split(/ {2,}| +[|>#<] | -- | && /);
    return { text: line.trim(), words: own.match(/"[^"]*"|'[^']*'|\S+/g) ?? [] };
  });
}

async function unknownIn({ words }: Line): Promise<readonly string[]> {
  const { name: first, after } = partAtName(words);
  if (first === null || ofPlugins.includes(first) || first === 'help') return [];
  const isNamed = (name: string): boolean => commands.all.some((entry) => entry.name === name);
  const name = [`${first} ${after[0] ?? ''}`, first].find(isNamed);
  const entry = commands.all.find((one) => one.name === name);
  if (entry === undefined) return commands.all.some((one) => one.name.startsWith(`${first} `)) ? [] : [first];
  const { options } = await entry.load();
  const flags = [...Object.values(options).map(({ usage }) => usage), ...globalOptions.map((one) => one.flags)];
  const known = flags.flatMap((usage) => usage.match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? []);
  return after.filter((word) => /^--?[a-z]/.test(word) && !known.includes(word.split('=')[0] ?? ''));
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
