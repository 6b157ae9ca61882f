// The programs that the settings of a run name, and whether a program can be started at all, which is known before anything
// is written for it.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, delimiter, resolve } from 'node:path';
import { commandIn, type RunSettings } from '../../schemas/run-file.ts';
import { type CommandWords, isScript, nameOf, ProgramNotStarted, type ProgramRole } from '../lab/programs/program.ts';

export interface SettledProgram {
  readonly role: ProgramRole;
  readonly command: CommandWords;
}

/** What a run with these settings starts. */
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

/** Whether the policy of a program's environment is a file here. Any other word of it is a name, which reads nothing. */
export function isPolicyPath(policy: string): boolean {
  return /[/\\]/.test(policy) || policy.endsWith('.safetensors');
}

/**
 * Throws ProgramNotStarted, where the program or the script that it is to run is missing. Nothing is started for it, so it may
 * be called before the program is allowed. Where names have endings that are left out, it shows when it is started.
 */
export function refuseMissing(role: string, command: CommandWords, folder: string): void {
  const witness = { role, program: nameOf(command), during: [], lastWords: [] };
  const [program] = command;
  if (process.platform !== 'win32') {
    const folders = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
    if (!folders.some((one) => canRun(resolve(folder, one, program))))
      throw new ProgramNotStarted(witness, `there is no executable ${program}`, 'ENOENT');
  }
  const missing = scriptsIn(command).find((script) => !existsSync(resolve(folder, script)));
  if (missing !== undefined) throw new ProgramNotStarted(witness, `there is no file ${missing} in ${folder}`, 'ENOENT');
}

/** Programs that run a file of this machine which is named among their arguments; of others nothing is known. */
const interpreters =
  /^(python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ruby|perl|php|lua|julia|Rscript|bash|sh|zsh|dash|ksh)(\.exe)?$/;

/** Options that are followed by code or by a module, and by no script. */
const withoutScript = /^(-[a-z]*[cemp]|--eval|--print)$/;

/** Options of node that are followed by a file, which is not the script yet. */
const loading = ['-r', '--require', '--import', '--loader'];

/** The files that an interpreter is to run, as far as their names show it; what comes after its script is the script's own. */
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
