// How icecore is called here. Hints are written with `icecore`; if that is not what must be typed, as in a clone, people see what must
// be typed instead. Programs get the hints as they are written.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, sep } from 'node:path';
import { shellWord } from '../base/shell-word.ts';
import { upward } from '../library/place/workspace-folder.ts';
import type { Io } from './io.ts';
import { Commands } from './registry.ts';

type Surroundings = Pick<Io, 'env' | 'cwd'>;

/** With the ledger that was typed, if any: a hint must lead to the same ledger. */
interface Typing extends Surroundings {
  readonly ledger?: string | undefined;
}

/**
 * The hint as it must be typed here. Quoted text stays unchanged: it may come from a stranger, such as the name of a run.
 */
export function typedHere(hint: string, typing: Typing, commands: Commands = new Commands()): string {
  const command = commandPattern(commands);
  if (!new RegExp(command).test(hint)) return hint;
  const program = programName(typing);
  const { ledger } = typing;
  const withLedger = ledger === undefined ? program : `${program} --ledger ${shellWord(ledger)}`;
  return hint.replaceAll(new RegExp(`${quoted}|${command}`, 'g'), (found, offset: number) => {
    if (found !== 'icecore') return found;
    return namesNoLedger.test(hint.slice(offset)) ? program : withLedger;
  });
}

/** Commands that use no ledger, and commands that name one. */
const namesNoLedger = /^icecore (?:--|help|trust|completion|demo|init|(?:[^\n]*? )?--(?:ledger|help)\b)/;

/** Whether a hint may name a command of a plugin: those are loaded only then. */
export function mayNamePlugin(hint: string): boolean {
  const own = new Commands().firstWords;
  return Array.from(hint.matchAll(/\bicecore ([a-z]\S*)/g)).some(
    ([, word = '']) => word !== 'help' && !own.includes(word),
  );
}

/** The first word of a two-word command is no command: prose such as `icecore ledger` stays unchanged. */
function commandPattern({ all, firstWords }: Commands): string {
  const typable = ['help', ...all.map(({ name }) => name), ...firstWords.map((word) => `${word} --help`)];
  return `(?<!npx |[\\w./-])icecore(?= (?:--|(?:${typable.join('|')})\\b))`;
}

/** Text in the quotes of `shellWord` and JSON; an apostrophe within a word begins no quote. */
const quoted = String.raw`(?<![\w'])'[^']*'(?:\\''[^']*')*|(?<!\w)"(?:[^"\\]|\\.)*"`;

/** What starts this icecore in a shell here; `icecore` without a PATH. */
export function programName({ env, cwd }: Surroundings, script = process.argv[1] ?? ''): string {
  const path = env['PATH'];
  if (path === undefined || foldersOf(path, env).some(holdsIcecore)) return 'icecore';
  return isFoundByNpx(cwd, script) ? 'npx icecore' : `node ${shellWord(script)}`;
}

/** npm adds folders to the PATH that the user's shell does not have. */
function foldersOf(path: string, env: Surroundings['env']): readonly string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const isUnderNpm = env['npm_command'] !== undefined;
  return isUnderNpm ? folders.filter((folder) => basename(dirname(folder)) !== 'node_modules') : folders;
}

function holdsIcecore(folder: string): boolean {
  return existsSync(join(folder, process.platform === 'win32' ? 'icecore.cmd' : 'icecore'));
}

/** npx looks only into the nearest package; otherwise it fetches from a registry. */
function isFoundByNpx(cwd: string, script: string): boolean {
  for (const folder of upward(cwd)) {
    const manifest = join(folder, 'package.json');
    if (!existsSync(manifest) && !existsSync(join(folder, 'node_modules'))) continue;
    // Another program of that name may come from anyone.
    return isSame(join(folder, 'node_modules/.bin/icecore'), script) || (isOwn(manifest) && isWithin(folder, script));
  }
  return false;
}

function isSame(path: string, other: string): boolean {
  return existsSync(path) && existsSync(other) && realpathSync(path) === realpathSync(other);
}

function isWithin(folder: string, path: string): boolean {
  return existsSync(path) && realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`);
}

const maxManifestBytes = 1 << 20;

function isOwn(manifest: string): boolean {
  try {
    // Reading a pipe or a device may never end.
    const found = statSync(manifest);
    if (!found.isFile() || found.size > maxManifestBytes) return false;
    const text = readFileSync(manifest, 'utf8');
    // biome-ignore lint/plugin: a manifest of npm; help comes without the schemas.
    return (JSON.parse(text) as { name?: unknown }).name === 'icecore';
  } catch {
    return false;
  }
}
