// What `icecore demo` does: runs a small experiment in a folder of its own and tells its story with the commands that show it, then
// shows with an ablation what evidence is worth. A file marks the folder, so that no other folder is mistaken for it.
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
import { why } from '../../library/understanding.ts';
import type { Context } from '../context.ts';
import type { Io } from '../io.ts';
import { typedHere } from '../program.ts';
import {
  ablateDungeon,
  dungeonFinding,
  dungeonLedger,
  dungeonRun,
  inDungeonLedger,
  runDungeon,
  wholeExperiment,
  writeRunFile,
} from './dungeon.ts';

/** The file that marks the folder of a demo. */
const mark = 'demo.txt';

const markText = `This folder was made by icecore demo. Its ledgers are in .icecore.
icecore demo continues here, or shows the same again. Delete the folder to delete the demo.
`;

/** Throws if the folder holds anything but a demo: nothing that is recorded in a ledger can be taken out again. */
function prepareFolder(path: string): void {
  const isOther = existsSync(path) && readdirSync(path).length > 0 && !existsSync(join(path, mark));
  if (isOther) {
    throw new IcecoreError('conflict', `${path} exists and holds other files`, {
      facts: { path },
      remedy: 'Name another folder: icecore demo FOLDER.',
    });
  }
  makeFolder(path);
  // Never through a link in its place.
  if (lstatSync(join(path, mark), { throwIfNoEntry: false }) === undefined)
    writeFileSync(join(path, mark), markText, { flag: 'wx' });
  writeRunFile(path);
}

interface Step {
  readonly argv: readonly string[];
  /** What the step shows, for the reader; null for a step that is not printed, empty for one that the next step explains. */
  readonly shows: string | null;
  /** Long work that reports its progress, stage by stage. */
  readonly isLive?: true;
}

const runName = 'first-run';

/** About 20 seconds on two cores, of the 25 of the demo. */
export const usualRun: readonly string[] = ['--stages', '3', '--budget', '400_000', '--engineer', 'checkpoint'];

/** The ledger is named, so that no settings or variables of the surroundings lead the demo into another. */
const ledger = `${workspaceName}/ledger.db`;

export function runSteps(typed: readonly string[], isBegun: boolean): readonly Step[] {
  return [
    { argv: ['init', '--ledger', `sqlite:${ledger}`], shows: null },
    isBegun
      ? { argv: ['resume', runName], shows: 'The run exists: it resumes, and nothing is done twice.', isLive: true }
      : {
          argv: ['run', ...typed, '--name', runName],
          shows:
            'A network learns to lead two agents over frozen lakes. After each stage it redesigns its training tasks.',
          isLive: true,
        },
  ];
}

/** `knob`: one that the decision before stage 2 changed; null: all of them. */
export function storySteps(knob: string | null): readonly Step[] {
  return [
    {
      argv: ['why', `${runName}@2`, ...(knob === null ? [] : [knob])],
      shows: 'One decision: its reason, the evidence it cites, a failed rollout behind it, and its effect.',
    },
  ];
}

export function dungeonSteps(isBegun: boolean): readonly Step[] {
  return [
    { argv: runDungeon(isBegun), shows: '' },
    {
      argv: ablateDungeon,
      shows:
        'What is evidence worth? In a dungeon, only failures say what to practise: the same decision with and without them.',
    },
  ];
}

/** The change whose evidence leads to the smallest drawing of a failed rollout. */
async function knobToShow(session: Session, folder: string): Promise<string | null> {
  const inside = { ...session, ledger: `sqlite:${join(folder, ledger)}`, notify: async () => {} };
  const { changes, exemplars } = await why(inside, { run: runName, stage: 2 }, { detail: 4 });
  const heights = new Map(
    exemplars.map(({ evidenceId, drawing }) => [evidenceId, drawing?.split('\n').length ?? Number.POSITIVE_INFINITY]),
  );
  const heightOf = ({ evidence }: (typeof changes)[number]): number =>
    Math.min(...evidence.flatMap((one) => one.exemplars.map((id) => heights.get(id) ?? Number.POSITIVE_INFINITY)));
  return changes.toSorted((one, other) => heightOf(one) - heightOf(other))[0]?.knob ?? null;
}

async function isBegun(session: Session, path: string, run: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const names = await withLedgerToRead({ ...session, ledger: `sqlite:${path}` }, namesTaken);
  return names.has(run);
}

type Outcome = DemoReport['rows'][number];

/** Variables that would lead the demo out of its folder. */
const misleading = ['ICECORE_WORKSPACE', 'ICECORE_LEDGER', 'ICECORE_BLOBS'];

/** `typed`: the options of the run, without its name. */
export async function demo(context: Context, folder: string, typed: readonly string[] = usualRun): Promise<number> {
  const path = resolve(context.io.cwd, folder);
  prepareFolder(path);
  const outcomes: Outcome[] = [];
  const takeAll = async (steps: readonly Step[]): Promise<boolean> => {
    for (const step of steps) {
      const outcome = await take(context, path, step);
      outcomes.push(outcome);
      if (outcome.exitCode !== 0) return false;
    }
    return true;
  };
  const { session } = context;
  const isDone =
    (await takeAll(runSteps(typed, await isBegun(session, join(path, ledger), runName)))) &&
    (await takeAll(storySteps(await knobToShow(session, path)))) &&
    (await takeAll(dungeonSteps(await isBegun(session, dungeonLedger(path), dungeonRun))));
  const exitCode = outcomes.at(-1)?.exitCode ?? 0;
  if (context.flags.json) {
    await context.printJson(reportOf(path, outcomes, isDone));
    return exitCode;
  }
  if (isDone) await context.print(`${await dungeonFinding(session, path)} ${wholeExperiment()}\n`);
  for (const line of closing(context, folder, exitCode)) await context.hint(line);
  return exitCode;
}

function reportOf(folder: string, rows: Outcome[], isDone: boolean): DemoReport {
  const all = [...runSteps([], false), ...storySteps(null), ...dungeonSteps(false)];
  const total = isDone ? rows.length : all.length;
  return { folder, as_of: new Date().toISOString(), total, rows, truncated: !isDone };
}

async function take(context: Context, cwd: string, step: Step): Promise<Outcome> {
  const { io, flags, paint } = context;
  const { argv, shows, isLive = false } = step;
  let output = '';
  const hear = async (text: string | Uint8Array): Promise<void> => {
    output += String(text);
  };
  // The demo has hints of its own: those after the result are left out. Where nothing is redrawn, a line for each stage is enough.
  const pass: Sink['write'] = async (text) => {
    const isProgress = !io.stderr.isTTY && /^stage \d+ of \d+: /.test(String(text));
    if (output === '' && !isProgress) await io.stderr.write(text);
  };
  const inside: Io = {
    ...{ stdin: io.stdin, signal: io.signal, cwd, env: without(io.env, misleading) },
    stdout: like(io.stdout, hear),
    stderr: like(io.stderr, isLive ? pass : hear),
  };
  const command = `icecore ${argv.map((word) => shellWord(word)).join(' ')}`;
  const print = async (text: string): Promise<void> => {
    if (!flags.json) await context.print(text);
  };
  const isExplained = shows !== null && shows !== '';
  const typed = typedHere(command, { env: io.env, cwd });
  if (shows !== null) await print(`${paint.bold(`$ ${typed}`)}${isExplained ? paint.dim(`  # ${shows}`) : ''}\n`);
  const exitCode = await context.invoke([...argv, ...(isLive && !flags.quiet ? [] : ['--quiet'])], inside);
  if ((isExplained && !isLive) || exitCode !== 0) await print(output);
  if (isExplained && exitCode === 0) await print('\n');
  return { command, shows: shows ?? '', exitCode, output };
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
  if (signal.aborted) return [`Type that in ${shellWord(folder)}, or continue the demo from here: ${again}`];
  if (exitCode !== 0) return [`After fixing that, ${again} continues where it stopped.`];
  const named = misleading.filter((name) => io.env[name]);
  const typed = [
    `icecore show ${dungeonRun} ${inDungeonLedger.join(' ')}  # the run in the dungeon has a ledger of its own`,
    `icecore sql --recipe weak-signal ${runName}  # a query: how much of the training taught nothing`,
    'icecore serve --open  # everything on a page',
  ];
  // icecore may have to be called differently in the folder of the demo.
  const there = { env: io.env, cwd: resolve(io.cwd, folder) };
  return [
    `Next: ${named.length === 0 ? '' : `unset ${named.join(' ')}; `}cd ${shellWord(folder)}`,
    ...typed.map((line) => `  ${typedHere(line, there)}`),
  ];
}
