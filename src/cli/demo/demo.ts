// What `icecore demo` does: runs a small experiment in a folder of its own and shows each command. A file marks the folder, so
// that no other folder is mistaken for it.
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { DemoReport } from '../../../schemas/output.ts';
import { makeFolder } from '../../base/folders.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Sink } from '../../base/sink.ts';
import { namesTaken } from '../../library/experiment/names.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { workspaceName } from '../../library/place/workspace-folder.ts';
import type { Session } from '../../library/session.ts';
import type { Context } from '../context.ts';
import type { Io } from '../io.ts';
import { typedHere } from '../program.ts';

/** A ledger alone may be one that somebody keeps, and nothing recorded in it could be taken out again. */
const mark = 'demo.txt';

const says = `This folder was made by icecore demo. Its ledger is in .icecore, with what it needs beside it.
icecore demo goes on here, or shows again what there is. Delete the folder, and nothing of the demo is left.
`;

/** Throws where there are other things in it. */
function prepareFolder(path: string): void {
  const isStrange = existsSync(path) && readdirSync(path).length > 0 && !existsSync(join(path, mark));
  if (isStrange) {
    throw new IcecoreError('conflict', `${path} is there already and holds other things`, {
      facts: { path },
      remedy: 'Name another folder: icecore demo FOLDER.',
    });
  }
  makeFolder(path);
  // Exclusively: in the place of a mark that is there, a link perhaps, nothing is written.
  if (lstatSync(join(path, mark), { throwIfNoEntry: false }) === undefined)
    writeFileSync(join(path, mark), says, { flag: 'wx' });
}

interface Step {
  readonly argv: readonly string[];
  readonly shows: string;
  /** It takes a while, and tells of it on standard error as it goes; what it prints in the end, the next step prints. */
  readonly isLive?: true;
}

const runName = 'first-run';

/** Half a minute on two cores. */
export const usualRun: readonly string[] = ['--stages', '3', '--budget', '400_000', '--engineer', 'checkpoint'];

/** The ledger is named, so that no settings or variables of the surroundings lead the tour into another. */
const ledger = `${workspaceName}/ledger.db`;

/** For each size of lake, stage after stage, what came of it. */
const question = [
  'SELECT family AS size, list(round(100 * share)::INT ORDER BY stage) AS share, list(round(100 * valid)::INT ORDER BY stage) AS valid',
  'FROM curriculum WHERE family IS NOT NULL GROUP BY family, position ORDER BY position',
].join(' ');

/** What was run in the folder before is not run again. */
export function stepsOf(asked: readonly string[], isBegun: boolean): readonly Step[] {
  return [
    {
      argv: ['init', '--ledger', `sqlite:${ledger}`],
      shows: 'A ledger is one SQLite file, with its log (-wal, -shm) beside it. Events are only ever added to it.',
    },
    isBegun ? { argv: ['resume', runName], ...goingOn } : firstRun(asked),
    {
      argv: ['show', runName],
      shows: 'The run, stage by stage. Whoever types icecore run sees this at its end.',
    },
    {
      argv: ['diff', `${runName}@2`, `${runName}@3`],
      shows: 'What changed between two stages, why, and what came of it. F1, B8.valid and the like cite evidence.',
    },
    {
      argv: ['why', `${runName}@2`, '--detail', '1'],
      shows:
        'Why it changed: each knob, its reasons, and what its family did next. Deeper, down to the rollouts: --detail 4.',
    },
    {
      argv: ['ablate', `${runName}@2`, '--engineer', 'rules', '--context', 'failures,behaviour'],
      shows:
        'The same decision, taken anew from the history: what rules would have proposed, shown one thing or another.',
    },
    {
      argv: ['sql', question],
      shows:
        'Everything is a table: the share of the training data, and how often the policy succeeded, in percent, by stage.',
    },
  ];
}

const goingOn = {
  shows: 'The run is there already: it goes on where it was, and nothing is done twice.',
  isLive: true,
} as const;

function firstRun(asked: readonly string[]): Step {
  return {
    argv: ['run', ...asked, '--name', runName],
    shows: 'A network learns to lead two agents over frozen lakes; between stages it is asked which lakes to train on.',
    isLive: true,
  };
}

async function isBegun(session: Session, folder: string): Promise<boolean> {
  const path = join(folder, ledger);
  if (!existsSync(path)) return false;
  const names = await withLedgerToRead({ ...session, ledger: `sqlite:${path}` }, namesTaken);
  return names.has(runName);
}

type Outcome = DemoReport['rows'][number];

/** What would lead the tour out of its folder. */
const misleading = ['ICECORE_WORKSPACE', 'ICECORE_LEDGER', 'ICECORE_BLOBS'];

/** `asked` is what the run is asked for, but for its name. */
export async function demo(context: Context, folder: string, asked: readonly string[] = usualRun): Promise<number> {
  const path = resolve(context.io.cwd, folder);
  prepareFolder(path);
  const steps = stepsOf(asked, await isBegun(context.session, path));
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
    `icecore context ${runName}@3`,
    `icecore fork ${runName}@3 --engineer rules --name by-rule`,
    `icecore diff ${runName}@3 by-rule@3`,
  ];
  // The demo's folder may lie where icecore is called otherwise.
  const there = { env: io.env, cwd: resolve(io.cwd, folder) };
  return [
    `Next: ${named.length === 0 ? '' : `unset ${named.join(' ')}; `}cd ${shellWord(folder)}`,
    ...typed.map((line) => `  ${typedHere(line, there)}`),
  ];
}
