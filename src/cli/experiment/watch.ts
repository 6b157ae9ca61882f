// Shows the progress of a run: a curve on a terminal, else one line per stage.
import type { Descriptor } from '../../../schemas/environment.ts';
import { commandIn, nameIn, type RunSettings } from '../../../schemas/run-file.ts';
import { escapeControls } from '../../base/escape.ts';
import { paintFor } from '../../base/paint.ts';
import { count, counted, duration, totalOf } from '../../base/quantity.ts';
import type { Paint } from '../../base/terminal.ts';
import { isShare, shortTurnText } from '../../document/figures.ts';
import { courseOf, figuresIn, figureText, shareText } from '../../document/training.ts';
import type { RunProgress } from '../../library/experiment/advance.ts';
import { stageWarnings } from '../../library/experiment/stage-warnings.ts';
import type { Context } from '../context.ts';
import { Live } from '../output/live.ts';

type Progress<Kind extends RunProgress['kind']> = Extract<RunProgress, { readonly kind: Kind }>;
type RunHistory = Progress<'opened'>['history'];
type StageHistory = RunHistory['stages'][number];
type Decision = Progress<'decided'>['decision'];
type Point = Extract<Progress<'training'>['progress'], { readonly kind: 'point' }>['point'];

const mostChanges = 4;

export function stageLine(
  { type, causes = [] }: Pick<Decision, 'causes'> & { readonly type: 'ConfigAdopted' | 'StageCompleted' },
  stage: StageHistory,
  descriptor: Descriptor,
  seconds: number,
): string {
  return type === 'StageCompleted' ? resultLine(stage, seconds) : decisionLine(stage, causes, descriptor);
}

/** `stage 2: valid 48 %, optimal 30 %, signal 61 %, 12 s` */
function resultLine({ stage, completed }: StageHistory, seconds: number): string {
  const figures = (completed?.data.results ?? []).flatMap(({ measure, value }) =>
    typeof value === 'number'
      ? [`${escapeControls(measure)} ${isShare(measure) ? shareText(value) : amount(value)}`]
      : [],
  );
  const alerts = completed?.data.alerts ?? [];
  const named = alerts.map(({ kind, family }) => `${kind}${family === null ? '' : ` of ${escapeControls(family)}`}`);
  const alertText = named.length === 0 ? '' : `; ${named.slice(0, 2).join(', ')}${named.length > 2 ? ', ...' : ''}`;
  return `stage ${stage}: ${[...figures, duration(seconds)].join(', ')}${alertText}`;
}

/** `  checkpoint: 3.data 0.125 → 0.054, 8.hole 0.15 → 0.1 and 5 more` */
function decisionLine(
  { adopted, rejections, errors, proposals }: StageHistory,
  causes: NonNullable<Decision['causes']>,
  { knobs }: Descriptor,
): string {
  const decided = adopted?.data;
  if (decided === undefined) return '';
  // Other answers were asked for by hand and have no part in the decision.
  const isCause = ({ id }: { readonly id: string }): boolean =>
    causes.some((cause) => 'event' in cause && cause.event === id);
  const why = rejections.find(isCause)?.data;
  const errored = errors.find(isCause)?.data;
  const adoptedFrom = proposals.find(({ id }) => id === decided.proposal)?.data ?? why ?? errored;
  const who = escapeControls(decided.by === 'human' ? decided.by : (adoptedFrom?.engineer.name ?? decided.by));
  if (decided.by === 'kept') {
    return `  ${who}: no usable proposal (${why?.reason ?? 'none came'}); the configuration stays`;
  }
  if (decided.by === 'errored') {
    return `  ${who}: errored (${escapeControls(errored?.error.message ?? 'no reason is recorded')}); the configuration stays`;
  }
  const steps = new Map(knobs.map(({ name, step }) => [name, step]));
  const moved = ({ knob, from, to }: (typeof decided.changes)[number]): number =>
    Math.abs(to - (from ?? 0)) / (steps.get(knob) ?? 1);
  const changes = decided.changes.toSorted((a, b) => moved(b) - moved(a));
  const clamped = decided.clamps.length === 0 ? '' : `; ${counted(decided.clamps.length, 'value')} clamped`;
  if (changes.length === 0) return `  ${who}: keeps the configuration${clamped}`;
  const shown = changes
    .slice(0, mostChanges)
    .map(({ knob, from, to }) => `${escapeControls(knob)} ${shortTurnText({ from, to })}`);
  const more = changes.length - shown.length;
  return `  ${who}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}${clamped}`;
}

const meanings = [
  ['valid', 'share of validation tasks solved'],
  ['optimal', 'share solved at the lowest cost'],
  ['signal', 'share of training tasks on which some attempts did better than others'],
] as const;

/** What the figures at the end of a stage mean. */
export function meaningLine({ completed }: StageHistory): string {
  const measured = new Set((completed?.data.results ?? []).map(({ measure }) => measure));
  const own = meanings.filter(([measure]) => measured.has(measure));
  return own.length === 0 ? '' : `  ${own.map((words) => words.join(': ')).join('; ')}`;
}

/** Counts of tokens are whole, money is not. */
function amount(value: number): string {
  return Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(3)));
}

/** The line at the end of a stage has figures of the same names, measured on validation. */
const onTraining = 'on training tasks';

/** In milliseconds. */
const redrawn = 200;
const plainLines = 10_000;
const rows = 9;
const widest = 100;
/** The share of the budget after which the remaining time is estimated. */
const fewestDone = 0.03;

type Opened = Omit<Progress<'opened'>, 'kind'>;

/** Shows the progress of the run that `work` runs. Unless it is announced, its settings and where it resumes are not shown. */
export async function watchingRun<Result>(
  context: Context,
  work: (onProgress: (progress: RunProgress) => Promise<void>) => Promise<Result>,
  { isAnnounced = true }: { readonly isAnnounced?: boolean } = {},
): Promise<Result> {
  const opened: { watch?: RunWatch } = {};
  const show = async (progress: RunProgress): Promise<void> => {
    if (progress.kind === 'opened') opened.watch = new RunWatch(context, progress, isAnnounced);
    else if (progress.kind === 'forked') await context.say(forkText(progress));
    else await opened.watch?.onProgress(progress);
  };
  try {
    return await work(show);
  } finally {
    await opened.watch?.end();
  }
}

function forkText({ name, from }: Progress<'forked'>): string {
  const shared = from.stage === 2 ? 'stage 1' : `stages 1 to ${from.stage - 1}`;
  return `${name} shares ${shared} of ${from.name} and decides stage ${from.stage} again`;
}

export class RunWatch {
  readonly #context: Context;
  readonly #settings: RunSettings;
  readonly #descriptor: Descriptor;
  readonly #history: RunHistory;
  #hasBegun: boolean;
  readonly #live: Live;
  readonly #paint: Paint;
  readonly #begun = performance.now();
  #stageBegun = performance.now();
  /** Of all stages so far; spending adds up over stages. */
  #points: Point[] = [];
  #before: Readonly<Record<string, number>> = {};
  /** The share of the budget that was spent before this process. */
  readonly #doneBefore: number;
  #now = '';
  #drawnAt = Number.NEGATIVE_INFINITY;
  #saidAt = performance.now();
  #isOver = false;
  #isExplained = false;

  constructor(context: Context, { settings, descriptor, history }: Opened, isAnnounced = true) {
    this.#context = context;
    this.#hasBegun = !isAnnounced;
    this.#settings = settings;
    this.#history = history;
    this.#descriptor = descriptor;
    this.#live = new Live(context.io);
    this.#paint = paintFor(context.io.stderr, context.io.env);
    for (const { training } of history.stages) this.#add(training?.data.curve ?? [], training?.data.spent);
    this.#doneBefore = this.#done();
  }

  /** Announces the run once it makes progress: until then another process may hold it. */
  async #begin(): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { name, environment, engineer, context, budget, seed, stages } = this.#settings;
    const amounts = Object.entries(budget).map(([unit, amount]) => `${count(amount)} ${unit}`);
    const size = `${counted(stages, 'stage')} of ${amounts.join(', ')}`;
    const what = [words(environment), size, `engineer ${words(engineer)}`, `context ${context}`, `seed ${seed}`].join(
      ', ',
    );
    const { revision, stages: recorded } = this.#history;
    const complete = recorded.filter(({ completed }) => completed !== null).length;
    const start = revision < 0 ? name : `${name} resumes in stage ${Math.min(complete + 1, stages)}`;
    await this.#context.say(`${start}: ${what}`);
  }

  readonly onProgress = async (progress: Exclude<RunProgress, Progress<'opened' | 'forked'>>): Promise<void> => {
    await this.#begin();
    switch (progress.kind) {
      case 'step':
        if (progress.step.do === 'start-stage') this.#stageBegun = performance.now();
        return await this.#show(doing(progress.step), 'stage' in progress.step ? progress.step.stage : null);
      case 'training':
        if (progress.progress.kind === 'point') this.#take(progress.progress.point);
        return await this.#show(`training${this.#figures()}`, progress.stage);
      case 'rollouts':
        return await this.#show(rolloutsText(progress), progress.stage);
      case 'retrying':
        await this.#live.end();
        return await this.#context.say(
          `${escapeControls(progress.why)}; trying again in ${duration(progress.seconds)}`,
        );
      case 'shards':
        return await this.#show(shardsText(progress), progress.stage);
      case 'shard-taken':
      case 'shard-completed':
        return;
      case 'shard-lost':
        await this.#live.end();
        return await this.#context.say(progress.fault.message);
      case 'decided':
        return await this.#decided(progress);
    }
  };

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#live.end();
  }

  async #decided({ decision, history }: Progress<'decided'>): Promise<void> {
    if (decision.type === 'TrainingRecorded') this.#settle(decision.data.curve ?? [], decision.data.spent ?? {});
    const { stage } = decision;
    if (stage === null) return;
    if (decision.type !== 'ConfigAdopted' && decision.type !== 'StageCompleted') return;
    const of = history.stages.find((one) => one.stage === stage);
    if (of === undefined) return;
    await this.#live.end();
    const seconds = (performance.now() - this.#stageBegun) / 1000;
    await this.#context.say(stageLine(decision, of, this.#descriptor, seconds));
    if (decision.type !== 'StageCompleted') return;
    await this.#explain(of);
    for (const text of stageWarnings(of, this.#descriptor)) await this.#context.say(text);
  }

  /** Once, when the words first appear. */
  async #explain(stage: StageHistory): Promise<void> {
    const line = this.#isExplained ? '' : meaningLine(stage);
    this.#isExplained = true;
    if (line !== '') await this.#context.say(this.#paint.dim(line));
  }

  /** Replaces the points that were reported one by one with the recorded curve, which may be older than this process. */
  #settle(curve: readonly Point[], spent: Readonly<Record<string, number>>): void {
    this.#points = this.#points.filter((point) => isBefore(point, this.#before));
    this.#add(curve, spent);
  }

  #add(curve: readonly Point[], spent: Readonly<Record<string, number>> = {}): void {
    for (const point of curve) this.#take(point);
    this.#before = totalOf([this.#before, spent]);
  }

  #take(point: Point): void {
    const spent = totalOf([this.#before, point.spent ?? {}]);
    this.#points.push({ ...point, spent });
  }

  #figures(): string {
    const last = this.#points.at(-1);
    if (last === undefined) return '';
    const figures = figuresIn([last])
      .slice(0, 3)
      .map((figure) => `${escapeControls(figure.label)} ${figureText(figure, last.values[figure.name])}`);
    return figures.length === 0 ? '' : ` (${onTraining}: ${figures.join(', ')})`;
  }

  async #show(what: string, stage: number | null): Promise<void> {
    const { flags, io } = this.#context;
    this.#now = stage === null ? what : `stage ${stage} of ${this.#settings.stages}: ${what}`;
    const now = performance.now();
    if (flags.quiet || this.#isOver) return;
    if (io.stderr.isTTY && !(flags.json && io.stdout.isTTY)) {
      if (now - this.#drawnAt < redrawn) return;
      this.#drawnAt = now;
      await this.#live.show(this.#lines());
    } else if (!io.stderr.isTTY && now - this.#saidAt >= plainLines) {
      this.#saidAt = now;
      await io.stderr.write(`${this.#now}${this.#time()}\n`);
    }
  }

  #lines(): readonly string[] {
    const columns = Math.min(this.#context.io.stderr.columns, widest) - 1;
    const { stages, budget } = this.#settings;
    const whole = Object.fromEntries(Object.entries(budget).map(([unit, amount]) => [unit, amount * stages]));
    const { bold, cyan, dim } = this.#paint;
    const course = courseOf(this.#points, whole, { columns, rows, paint: { curve: cyan, axes: dim } });
    const drawn = course === null ? [] : [bold(`${escapeControls(course.label)} ${onTraining}`), ...course.lines];
    return [...drawn, `${this.#now}${this.#time()}`];
  }

  /** The time so far and an estimate of the rest, from the share of the budget that is spent. */
  #time(): string {
    const seconds = (performance.now() - this.#begun) / 1000;
    const done = this.#done() - this.#doneBefore;
    const left = done < fewestDone ? null : (seconds * (1 - this.#done())) / done;
    return left === null || left < 1
      ? `, ${duration(seconds)} so far`
      : `, ${duration(seconds)} so far, about ${duration(left)} left`;
  }

  /** The share of the whole budget that is spent, by the unit that runs out first. */
  #done(): number {
    const spent = this.#points.at(-1)?.spent ?? {};
    const { stages, budget } = this.#settings;
    return Math.min(
      1,
      Math.max(0, ...Object.entries(budget).map(([unit, amount]) => (spent[unit] ?? 0) / (amount * stages))),
    );
  }
}

/** Slow policies take long for their first rollouts, which is not to look like a standstill. */
function rolloutsText({ of, done }: Progress<'rollouts'>): string {
  return done === 0 ? `${of}, waiting for the first rollouts` : `${of}, ${counted(done, 'rollout')}`;
}

function shardsText({ completed, of, held }: Progress<'shards'>): string {
  const others = held === 0 && completed < of ? ', waiting for workers' : `, workers have ${count(held)}`;
  return `gathering evidence, ${count(completed)} of ${counted(of, 'shard')}${others}`;
}

const doings: Readonly<Record<Progress<'step'>['step']['do'], string>> = {
  start: 'starting',
  'adopt-first': 'starting',
  'start-stage': 'starting',
  train: 'training',
  evaluate: 'evaluating',
  gather: 'gathering evidence',
  summarise: 'adding up the evidence',
  'complete-stage': 'adding up the evidence',
  show: 'writing the context',
  propose: 'asking the engineer',
  wait: 'waiting for a decision',
  adopt: 'adopting',
  complete: 'ending',
};

function doing(step: Progress<'step'>['step']): string {
  return step.do === 'evaluate' ? `evaluating on ${escapeControls(step.evaluation)}` : doings[step.do];
}

function words(named: RunSettings['environment' | 'engineer']): string {
  return escapeControls(nameIn(named) ?? commandIn(named)?.join(' ') ?? '');
}

function isBefore({ spent = {} }: Point, until: Readonly<Record<string, number>>): boolean {
  return Object.entries(until).every(([unit, amount]) => (spent[unit] ?? 0) <= amount);
}
