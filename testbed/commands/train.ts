// `icecore lake train`, and the command line that resumes it.
import { isAbsolute, relative } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import type { TrainFamily, TrainLine, TrainResult } from '../../schemas/training-output.ts';
import {
  courseOf,
  figuresIn,
  figureText,
  marked,
  numbersOf,
  right,
  shareText,
  sparkline,
  table,
} from '../../src/document/index.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import {
  budgetText,
  type Checkpoint,
  count,
  duration,
  escapeControls,
  escapeControlsInLines,
  type FolderTrained,
  forEachIn,
  type OpenTraining,
  shellWord,
  shortNumber,
  type Trained,
  type TrainingFault,
} from '../../src/library/plugins/tools.ts';
import type { LakeConfiguration } from '../lake/configuration.ts';
import { configurationOf } from './generate.ts';
import type { TrainOptions } from './options.ts';
import { rateText, Watch, widest } from './watch.ts';

export async function train(
  context: CommandContext,
  options: TrainOptions,
  program: readonly string[],
): Promise<number> {
  const { budget, seed = 'icecore', from, output, jobs } = options;
  if (program.length > 0 && jobs !== undefined) throw notForPrograms('--jobs', 'a program controls its own threads');
  if (program.length > 0 && from === 'base') throw notForPrograms('--from base', 'it belongs to the built-in trainer');
  const configuration = await configurationOf(context, options);
  const training = await context.workspace.openTraining({
    ...{ environment: 'lake', configuration: { ...configuration }, budget, seed },
    trainer: program.length === 0 ? 'grpo' : program,
    ...(from === undefined ? {} : { from }),
    ...(output === undefined ? {} : { folder: output }),
    ...(jobs === undefined ? {} : { threads: jobs }),
  });
  try {
    const again = typedAgain(options, training.name, program);
    const { trained, took } = await trainAndWatch(context, training, options, again);
    const result = resultOf(training, trained, { configuration, budget, seed, took });
    if (!result.isNew) await sayComplete(context, training.folder, program.length > 0);
    if (context.flags.json) await context.printJson(result satisfies TrainLine);
    else await printTrained(context, result);
    if (result.checkpoint !== null && program.length === 0) await sayNext(context, result.checkpoint);
  } finally {
    await training.close();
  }
  return 0;
}

async function sayComplete(context: CommandContext, folder: string, isProgram: boolean): Promise<void> {
  const changed = isProgram ? ' A change of the program itself is not noticed.' : '';
  await context.say(`This training was complete already, so nothing was trained: this is its result.${changed}`);
  await context.say(`  To train again, remove ${folder} or choose another --output.`);
}

function notForPrograms(option: string, why: string): IcecoreError {
  return new IcecoreError('usage', `lake train: ${option} together with a program: ${why}`, {
    facts: { command: 'lake train' },
    remedy: `Leave out ${option}.`,
  });
}

/** Only the chosen options, and always the folder, so that the training is resumed there. */
export function typedAgain(options: TrainOptions, folder: string, program: readonly string[]): string {
  const { config, agents, budget, seed, from, jobs } = options;
  const chosen = Object.entries({ config, agents, budget: budgetText(budget), seed, from, jobs, output: folder });
  const words = chosen.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, shellWord(String(value))]));
  const last = program.length === 0 ? [] : ['--', ...program.map((word) => shellWord(word))];
  return ['icecore lake train', ...words, ...last].join(' ');
}

/** The time of this session, and the amount spent per second; null if it was complete before. */
type Took = Pick<Watch['pace'], 'seconds' | 'perSecond'> | null;

async function trainAndWatch(
  context: CommandContext,
  training: OpenTraining,
  { budget }: TrainOptions,
  again: string,
): Promise<{ readonly trained: FolderTrained; readonly took: Took }> {
  const { signal } = context;
  const { isBegun } = training;
  const watch = new Watch(context, budget, isBegun);
  try {
    const trained = await forEachIn(training.train(signal), async (progress) => {
      // Rollouts are not needed here.
      if (progress.kind === 'rollouts') return;
      if (context.flags.json) await context.printJson(progress satisfies TrainLine);
      await watch.take(progress);
    });
    // No new progress in a training that had started before: it was complete.
    const isOver = isBegun && watch.step === null && watch.saved === null;
    const { seconds, perSecond } = watch.pace;
    return { trained, took: isOver ? null : { seconds, perSecond } };
  } catch (fault) {
    await watch.end();
    if (isTrainingFault(fault)) await showLog(context, fault);
    throw signal.aborted ? stopped(signal.reason, watch, training, again) : fault;
  } finally {
    await watch.end();
  }
}

/** Checks the members, because loading the class would load the reader of program output. */
function isTrainingFault(fault: unknown): fault is TrainingFault {
  return fault instanceof IcecoreError && 'partial' in fault;
}

/** The output of a program usually explains its failure. */
async function showLog({ flags, io }: CommandContext, { partial: { log } }: TrainingFault): Promise<void> {
  if (flags.quiet || log === undefined) return;
  await io.stderr.write(`the last output of the program:\n${escapeControlsInLines(log).replaceAll(/^/gm, '  ')}\n`);
}

function stopped(
  reason: unknown,
  { step, saved }: Watch,
  { folder, isBegun }: OpenTraining,
  again: string,
): IcecoreError {
  const at = step === null ? 'before the first update' : `after update ${count(step)}`;
  // A program may still save when it is asked to end.
  const unsaved = isBegun ? 'nothing was saved since it was resumed' : 'nothing was saved yet';
  const left =
    saved === null
      ? unsaved
      : saved.step === undefined
        ? 'it was saved'
        : `it was saved at update ${count(saved.step)}`;
  return new IcecoreError('interrupted', `stopped by ${reason} ${at}; ${left}`, {
    facts: { folder, step, saved: saved?.reference ?? null },
    remedy: `Continue with: ${again}`,
  });
}

async function sayNext({ io, hint }: CommandContext, { reference }: Checkpoint): Promise<void> {
  const near = relative(io.cwd, reference);
  const path = near.startsWith('..') || isAbsolute(near) ? reference : near;
  await hint(`Next: icecore lake evaluate ${shellWord(path)}`);
}

interface Request extends Pick<TrainResult, 'seed'> {
  readonly budget: TrainOptions['budget'];
  readonly configuration: LakeConfiguration;
  readonly took: Took;
}

function resultOf(
  { folder, trainer }: OpenTraining,
  trained: FolderTrained,
  { configuration, budget, seed, took }: Request,
): TrainResult {
  const { from, checkpoint, spent, curve, signal, results = null, exit = null, log = null } = trained;
  return {
    kind: 'trained',
    ...{ folder, isNew: took !== null, environment: 'lake', trainer, from, seed, checkpoint, results, exit, log },
    configuration: { ...configuration },
    budget: { ...budget },
    spent: { ...spent },
    curve: [...curve],
    families: familiesIn(configuration, trained),
    signal: [...signal],
    seconds: took?.seconds ?? null,
    perSecond: took === null ? null : { ...took.perSecond },
  };
}

/** The families of the configuration, in order, and further ones that the trainer reports. */
function familiesIn({ sizes }: LakeConfiguration, { signal, sampled, curve }: Trained): TrainFamily[] {
  const configured = Object.keys(sizes).filter((size) => (sizes[size]?.data ?? 0) > 0);
  const reported = [...sampled.map(({ family }) => family), ...signal.flatMap(({ family }) => family ?? [])];
  const lately = curve.slice(-Math.ceil(curve.length / 10));
  return [...new Set([...configured, ...reported])].map((family) => {
    const drawn = sampled.find((one) => one.family === family);
    const valid = numbersOf(`valid/${family}`, lately);
    return {
      family,
      asked: sizes[family]?.data ?? null,
      sampled: drawn?.share ?? null,
      instances: drawn?.tasks ?? null,
      signal: signal.find((one) => one.family === family)?.share ?? null,
      valid: valid.length === 0 ? null : valid.reduce((sum, share) => sum + share, 0) / valid.length,
    };
  });
}

const rows = 11;
/** Without a terminal. */
const usual = 80;

/** Not as tables, which would lose colours and cut paths that are meant to be copied. */
async function printTrained({ io, paint, print }: CommandContext, result: TrainResult): Promise<void> {
  const columns = (io.stdout.isTTY ? Math.min(io.stdout.columns, widest) : usual) - 1;
  const course = courseOf(result.curve, result.budget, {
    columns,
    rows,
    paint: { curve: paint.cyan, axes: paint.dim },
  });
  if (course !== null) await print(`${[paint.bold(escapeControls(course.label)), ...course.lines].join('\n')}\n\n`);
  for (const block of [figuresTable(result), familiesTable(result)]) {
    if (block.rows.length === 0) continue;
    await print({ title: null, blocks: [block], sections: [] });
    await print('\n');
  }
  await print(factsText(result));
}

const sparks = 40;
const familySparks = 16;

function figuresTable({ curve }: TrainResult) {
  const figures = figuresIn(curve).map((figure) => ({ ...figure, numbers: numbersOf(figure.name, curve) }));
  return table(curve.length < 2 ? [] : figures.filter(({ numbers }) => numbers.length > 0), [
    { title: 'figure', cell: ({ label }) => label },
    right('begin', (figure) => figureText(figure, figure.numbers[0])),
    right('end', (figure) => figureText(figure, figure.numbers.at(-1))),
    { title: 'course', cell: ({ numbers }) => [marked('bars', sparkline(numbers, sparks))] },
  ]);
}

function familiesTable({ families, curve }: TrainResult) {
  const share = (part: TrainFamily['signal']): string => (typeof part === 'number' ? shareText(part) : '-');
  // As configured: one of eight is 12.5 %.
  const exact = (part: number | null): string => (part === null ? '-' : `${shortNumber(100 * part)} %`);
  const reported = families.filter(
    ({ sampled, signal, valid }) => sampled !== null || signal !== null || valid !== null,
  );
  const hasValid = reported.some(({ valid }) => valid !== null);
  return table(reported, [
    right('size', ({ family }) => (/^[0-9]+$/.test(family) ? `${family}x${family}` : family)),
    right('requested', ({ asked }) => exact(asked)),
    right('sampled', ({ sampled }) => exact(sampled)),
    right('instances', ({ instances }) => (instances === null ? '-' : count(instances))),
    right('learning signal', ({ signal }) => share(signal)),
    right('valid', ({ valid }) => (hasValid ? share(valid) : '')),
    {
      title: 'course',
      cell: ({ family }) => [marked('bars', sparkline(numbersOf(`valid/${family}`, curve), familySparks))],
    },
  ]);
}

function factsText(result: TrainResult): string {
  const { checkpoint, exit } = result;
  const digest = checkpoint?.digest;
  const ended =
    exit === null || exit.code === 0 ? undefined : exit.signal === null ? `code ${exit.code}` : `by ${exit.signal}`;
  const facts = { spent: spentText(result), checkpoint: checkpoint?.reference ?? 'none', digest, exit: ended };
  return Object.entries(facts)
    .map(([name, text]) => (text === undefined ? '' : `${name.padEnd(12)}${escapeControls(text)}\n`))
    .join('');
}

/** `1,203,456 agent-steps, 320 updates, 14.2 s this time, 84,700 agent-steps/s` */
function spentText({ spent, curve, seconds, perSecond }: TrainResult): string {
  const updates = spent['updates'] === undefined && curve.length > 0 ? { updates: curve.at(-1)?.step ?? 0 } : {};
  return [
    ...Object.entries({ ...spent, ...updates }).map(([unit, amount]) => `${count(amount)} ${unit}`),
    ...(seconds === null ? [] : [`${duration(seconds)} this time`]),
    ...Object.entries(perSecond ?? {}).map(([unit, rate]) => `${rateText(rate)} ${unit}/s`),
  ].join(', ');
}
