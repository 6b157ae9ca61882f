// What `icecore demo` does: runs a small experiment and looks at it, each step under the command that a person would type
// for it. Stopped or called again, it goes on where it was.
import { resolve } from 'node:path';
import type { DemoReport } from '../../../schemas/output.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Context } from '../context.ts';
import type { Io, Sink } from '../io.ts';
import { typedHere } from '../program.ts';
import { prepareFolder } from './folder.ts';
import { runName, type Step, stepsIn, usualRun } from './steps.ts';

type Outcome = DemoReport['rows'][number];

/** What would lead the tour out of its folder. */
const misleading = ['ICECORE_HOME', 'ICECORE_LEDGER', 'ICECORE_BLOBS'];

/** `asked` is what the run is asked for, but for its name. */
export async function demo(context: Context, folder: string, asked: readonly string[] = usualRun): Promise<number> {
  const path = resolve(context.io.cwd, folder);
  prepareFolder(path);
  const steps = await stepsIn(path, asked);
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const outcome = await take(context, path, step);
    outcomes.push(outcome);
    if (outcome.exitCode !== 0) break;
  }
  const exitCode = outcomes.at(-1)?.exitCode ?? 0;
  if (context.flags.json) await context.printJson(reportOf(path, steps, outcomes));
  else for (const line of closing(context, folder, exitCode)) await context.hint(line);
  return exitCode;
}

function reportOf(folder: string, steps: readonly Step[], rows: Outcome[]): DemoReport {
  return { folder, as_of: new Date().toISOString(), total: steps.length, rows, truncated: rows.length < steps.length };
}

async function take(context: Context, cwd: string, step: Step): Promise<Outcome> {
  const { io, flags, paint } = context;
  const { argv, shows, isLive = false } = step;
  let output = '';
  const hear = async (text: string | Uint8Array): Promise<void> => {
    output += String(text);
  };
  // Once it prints what it came to, what it says beside that belongs to it.
  const pass: Sink['write'] = (text) => (output === '' ? io.stderr.write(text) : hear(text));
  const inside: Io = {
    ...{ stdin: io.stdin, signal: io.signal, cwd, env: without(io.env, misleading) },
    stdout: like(io.stdout, hear),
    stderr: like(io.stderr, isLive ? pass : hear),
  };
  const command = `icecore ${argv.map((word) => shellWord(word)).join(' ')}`;
  const print = async (text: string): Promise<void> => {
    if (!flags.json) await context.print(text);
  };
  await print(`${paint.bold(`$ ${typedHere(command, { env: io.env, cwd })}`)}\n${paint.dim(`# ${shows}`)}\n`);
  const exitCode = await context.invoke([...argv, ...(isLive && !flags.quiet ? [] : ['--quiet'])], inside);
  if (!isLive) await print(output);
  if (exitCode === 0) await print('\n');
  return { command, shows, exitCode, output };
}

function like(sink: Sink, write: Sink['write']): Sink {
  return {
    isTTY: sink.isTTY,
    get columns() {
      return sink.columns;
    },
    write,
  };
}

function without(env: Io['env'], names: readonly string[]): Io['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

function closing({ io, signal }: Context, folder: string, exitCode: number): string[] {
  const again = `icecore demo ${shellWord(folder)}`;
  if (signal.aborted) return [`That is typed in ${shellWord(folder)}. From here, ${again} goes on with all of it.`];
  if (exitCode !== 0) return [`Once that is mended, ${again} goes on where it was.`];
  const named = misleading.filter((name) => io.env[name]);
  const typed = [
    `icecore context ${runName}@2`,
    `icecore fork ${runName}@2 --engineer rules --name by-rule`,
    `icecore diff ${runName}@3 by-rule@3`,
  ];
  // The demo's folder may lie where icecore is called otherwise.
  const there = { env: io.env, cwd: resolve(io.cwd, folder) };
  return [
    `Next: ${named.length === 0 ? '' : `unset ${named.join(' ')}; `}cd ${shellWord(folder)}`,
    ...typed.map((line) => `  ${typedHere(line, there)}`),
  ];
}
