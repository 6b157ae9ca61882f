// What `icecore demo` does: writes a short history to a file, records it, and shows it, each step under the command that a
// person would type for it.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { DemoReport } from '../../../schemas/output.ts';
import { makeFolder } from '../../ledger/folder.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Context } from '../context.ts';
import { homeName } from '../home.ts';
import type { Io, Sink } from '../io.ts';
import { typedHere } from '../program.ts';
import { adoptedAt, demoHistory, demoStreams } from './history.ts';

interface Step {
  readonly argv: readonly string[];
  readonly shows: string;
}

/** The ledger is named, so that no settings or variables of the surroundings lead the tour into another. */
const steps: readonly Step[] = [
  {
    argv: ['init', '--ledger', 'sqlite:.icecore/ledger.db'],
    shows: 'A ledger is one SQLite file, with its log (-wal, -shm) beside it. Events are only ever added to it.',
  },
  {
    argv: ['append', 'history.ndjson'],
    shows:
      'Events come from any program, one JSON object a line. Each is checked, hashed, and durable when this returns.',
  },
  { argv: ['append', 'history.ndjson'], shows: 'The same events again: nothing is recorded twice.' },
  { argv: ['tail'], shows: 'What happened: five tries, two failures, a proposal, a decision, a note.' },
  {
    argv: ['event', `${demoStreams.run}@${adoptedAt}`],
    shows: 'The decision: which knob was turned, from what to what, and which evidence it cites.',
  },
];

type Outcome = DemoReport['rows'][number];

export async function demo(context: Context, folder: string): Promise<number> {
  const path = resolve(context.io.cwd, folder);
  prepareFolder(path);
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const outcome = await take(context, path, step);
    outcomes.push(outcome);
    if (!context.flags.json) await show(context, path, outcome);
    if (outcome.exitCode !== 0) break;
  }
  const failed = outcomes.some(({ exitCode }) => exitCode !== 0);
  if (context.flags.json) await context.printJson(reportOf(path, outcomes));
  else if (!failed) await context.say(next(folder, { env: context.io.env, cwd: path }));
  return failed ? 1 : 0;
}

function reportOf(folder: string, rows: Outcome[]): DemoReport {
  return { folder, as_of: new Date().toISOString(), total: steps.length, rows, truncated: rows.length < steps.length };
}

/** A folder with other things in it is left alone. */
function prepareFolder(path: string): void {
  const isStrange = existsSync(path) && readdirSync(path).length > 0 && !isOfDemo(path);
  if (isStrange) {
    throw new IcecoreError('conflict', `${path} is there already and holds other things`, {
      facts: { path },
      remedy: 'Name another folder: icecore demo FOLDER.',
    });
  }
  makeFolder(path);
  const lines = demoHistory().map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(join(path, 'history.ndjson'), lines.join(''));
}

/** A ledger alone may be one that somebody keeps, and nothing appended to it could be taken out again. */
function isOfDemo(path: string): boolean {
  return existsSync(join(path, homeName)) && existsSync(join(path, 'history.ndjson'));
}

async function take(context: Context, cwd: string, { argv, shows }: Step): Promise<Outcome> {
  let output = '';
  const capture = (like: Sink): Sink => ({
    isTTY: like.isTTY,
    columns: like.columns,
    write: async (text) => {
      output += String(text);
    },
  });
  const { io } = context;
  const { ICECORE_HOME: _, ICECORE_LEDGER: __, ...env } = io.env;
  const inside: Io = { ...io, stdin: io.stdin, env, cwd, stdout: capture(io.stdout), stderr: capture(io.stderr) };
  const exitCode = await context.invoke([...argv, '--quiet'], inside);
  return { command: `icecore ${argv.join(' ')}`, shows, exitCode, output };
}

async function show(
  { io: { env }, print, paint }: Context,
  cwd: string,
  { command, shows, output }: Outcome,
): Promise<void> {
  await print(`${paint.bold(`$ ${typedHere(command, { env, cwd })}`)}\n${paint.dim(`# ${shows}`)}\n${output}\n`);
}

/** Every line is one to be typed in the demo's folder, which may lie where icecore is called otherwise. */
function next(folder: string, there: Pick<Io, 'env' | 'cwd'>): string {
  const named = ['ICECORE_HOME', 'ICECORE_LEDGER'].filter((name) => there.env[name]);
  const unset = named.length === 0 ? '' : `unset ${named.join(' ')}; `;
  const typed = typedHere('icecore tail -f in one terminal, and in another: icecore append --help', there);
  return `Next: ${unset}cd ${shellWord(folder)}; ${typed}`;
}
