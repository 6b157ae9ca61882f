// The programs in a run's settings, and a check that a program can be started at all, before anything is written for
// it.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, delimiter, resolve } from 'node:path';
import { commandIn, type RunSettings } from '../../schemas/run-file.ts';
import { type CommandWords, isScript, nameOf, ProgramNotStarted, type ProgramRole } from '../lab/programs/program.ts';
import { sha256 } from '../ledger/identity/ids.ts';

export interface SettledProgram {
  readonly role: ProgramRole;
  readonly command: CommandWords;
}

/** The programs that a run with these settings starts. */
export function programsIn({
  environment,
  trainer,
  engineer,
}: Pick<RunSettings, 'environment' | 'trainer' | 'engineer'>): readonly SettledProgram[] {
  const words = [
    ['environment', environment],
    ['trainer', trainer],
    ['engineer', engineer],
  ] as const;
  return words.flatMap(([role, word]) => {
    const command = commandIn(word);
    return command === null ? [] : [{ role, command }];
  });
}

/** Larger files are data rather than programs, and take long to read. */
const largestFile = 16 * 1024 * 1024;

/**
 * The SHA-256 digests of the files that the words of a run's trainer and environment programs name. They tell whether a later
 * stage uses another program under the same name; what these files load is not covered.
 */
export async function programFiles(
  settings: Pick<RunSettings, 'environment' | 'trainer' | 'engineer'>,
  folder: string,
): Promise<ProgramFiles> {
  const commands = programsIn(settings).filter(({ role }) => role !== 'engineer');
  const words = commands.flatMap(({ command: [program, ...others] }) =>
    program.includes('/') ? [program, ...others] : others,
  );
  const digests = new Map<string, string>();
  for (const word of new Set(words)) {
    const digest = await digestOfFile(resolve(folder, word));
    if (digest !== null) digests.set(word, digest);
  }
  return Object.fromEntries(digests);
}

export type ProgramFiles = Readonly<Record<string, string>>;

/** Null if there is no such file, or it cannot be read. */
async function digestOfFile(path: string): Promise<string | null> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= largestFile ? sha256(await readFile(path)) : null;
  } catch {
    return null;
  }
}

/** Whether the policy of a program environment is a local file. Any other text is a name and reads nothing. */
export function isPolicyPath(policy: string): boolean {
  return /[/\\]/.test(policy) || policy.endsWith('.safetensors');
}

/**
 * Throws ProgramNotStarted if the program or its script is missing. It starts nothing, so it may be called before the
 * program is allowed. Names with omitted endings are only checked at the start.
 */
export function refuseMissing(role: string, command: CommandWords, folder: string): void {
  const witness = { role, program: nameOf(command), during: [], lastWords: [] };
  const [program] = command;
  if (process.platform !== 'win32') {
    const folders = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
    if (!folders.some((one) => canRun(resolve(folder, one, program))))
      throw new ProgramNotStarted(witness, `${program} does not exist or is not executable`, 'ENOENT');
  }
  const missing = scriptsIn(command).find((script) => !existsSync(resolve(folder, script)));
  if (missing !== undefined)
    throw new ProgramNotStarted(
      witness,
      `the file ${missing} does not exist in ${folder}`,
      'ENOENT',
      `Programs start in the current folder, also when a run is resumed elsewhere: start icecore in the folder that has ${missing}, or give its whole path to a new run.`,
    );
}

/** Programs that run a local script named in their arguments; others are unknown. */
const interpreters =
  /^(python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ruby|perl|php|lua|julia|Rscript|bash|sh|zsh|dash|ksh)(\.exe)?$/;

/** Options that are followed by code or a module instead of a script. */
const withoutScript = /^(-[a-z]*[cemp]|--eval|--print)$/;

/** Options of node that are followed by a file other than the script. */
const loading = ['-r', '--require', '--import', '--loader'];

/**
 * The files that an interpreter will run, as far as its arguments show; arguments after the script belong to the
 * script.
 */
function scriptsIn([program, ...words]: CommandWords): readonly string[] {
  if (!interpreters.test(basename(program))) return [];
  const end = words.findIndex((word, i) => withoutScript.test(word) || (isScript(word) && !isLoaded(words, i)));
  const own = end < 0 ? words : words.slice(0, end + 1);
  return own.filter((word) => isScript(word) && !word.includes('://'));
}

function isLoaded(words: readonly string[], i: number): boolean {
  return loading.includes(words[i - 1] ?? '');
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
