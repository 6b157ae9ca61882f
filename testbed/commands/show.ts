// `icecore lake show`: draws instances given as JSON lines or in letters.
import { writeFileSync } from 'node:fs';
import { IcecoreError } from '../../schemas/errors.ts';
import { isObject, parseJson } from '../../schemas/json-text.ts';
import type { LakeShown } from '../../schemas/lake-output.ts';
import type { CommandContext } from '../../src/library/plugins/index.ts';
import {
  escapeControls,
  hasColours,
  type InputLine,
  openSource,
  refuseToOverwrite,
  type Source,
} from '../../src/library/plugins/tools.ts';
import { asciiOf, fromAscii } from '../lake/ascii.ts';
import { lakeSvg } from '../lake/drawing/svg.ts';
import { framesSvg } from '../lake/drawing/svg-frames.ts';
import { replaySvg } from '../lake/drawing/svg-replay.ts';
import { frameLines, lakeLines as linesOfLake, trailLines } from '../lake/drawing/terminal.ts';
import type { Page } from '../lake/drawing/terminal-canvas.ts';
import { goalLetterOf, letterOf, type Scene, summary, walksOf } from '../lake/drawing/walk.ts';
import { digestOf, type Instance, NotAnInstance } from '../lake/instance.ts';
import { type Judgement, judge } from '../lake/judge.ts';
import { instanceOf } from '../lake/line.ts';
import { planOf, Unreadable } from '../lake/plan.ts';
import { Solver } from '../lake/solver/solver.ts';
import { faultIn, lakeLines } from './lines.ts';
import { drawingLegend, type ShowOptions } from './options.ts';

interface Drawable {
  /** The line of the input where it starts. */
  readonly line: number;
  readonly instance: Instance;
  /** Undefined if there is none. */
  readonly answer?: unknown;
  readonly truncated: boolean;
}

/** Throws at the first invalid one. */
async function* drawablesIn(source: Source): AsyncGenerator<Drawable, void, undefined> {
  let rows: InputLine[] = [];
  for await (const lines of lakeLines(source)) {
    for (const input of lines) {
      const isJson = input.fault !== null || input.text.startsWith('{');
      if (rows.length > 0 && (isJson || input.line > (rows.at(-1)?.line ?? 0) + 1)) {
        yield fromLetters(rows);
        rows = [];
      }
      if (isJson) yield fromJson(input);
      else rows.push(input);
    }
  }
  if (rows.length > 0) yield fromLetters(rows);
}

function fromLetters(rows: readonly InputLine[]): Drawable {
  const line = rows[0]?.line ?? 1;
  return { line, instance: fromAscii(rows.map((row) => row.text).join('\n'), line), truncated: false };
}

function fromJson(input: InputLine): Drawable {
  let fields: Readonly<Record<string, unknown>> = {};
  try {
    fields = parseJson(input.text) as typeof fields;
    const { plan, truncated } = rolloutIn(fields) ?? fields;
    const instance = instanceOf(rolloutIn(fields) ?? fields);
    return { line: input.line, instance, truncated: truncated === true, ...(plan == null ? {} : { answer: plan }) };
  } catch (error) {
    const isInstance = error instanceof NotAnInstance;
    const { kind, message, ...facts } = faultIn(input, isInstance ? error : null);
    const remedy = isInstance ? remedyFor(fields) : 'Pass lakes, one per line, or drawn in letters.';
    throw new IcecoreError(kind, message, { facts, remedy });
  }
}

/** A recorded rollout as a line: its lake and its plan. */
function rolloutIn({ type, data }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null {
  if (type !== 'RolloutRecorded' || !isObject(data) || !isObject(data['task'])) return null;
  const { task, answer: plan } = data;
  return isObject(task['inline']) ? { id: task['id'], ...task['inline'], plan } : null;
}

/** The output of other commands contains no instance. */
function remedyFor(fields: object): string {
  if ('size' in fields) return '';
  if ('solvable' in fields) return 'This is an answer of lake solve: draw the instances it was given, with --solve.';
  return 'outcome' in fields ? 'This is an answer of lake judge: draw the lines that were judged.' : '';
}

interface Picture {
  readonly scene: Scene;
  readonly outcome: Judgement['outcome'] | null;
  /** Information that is not in the drawing. */
  readonly words?: string;
}

function pictureOf({ instance, answer, truncated }: Drawable): Picture {
  if (answer === undefined) return { scene: { instance }, outcome: null };
  const { outcome, failures } = judge(instance, answer, truncated);
  const plan = planOf(answer, instance);
  return plan instanceof Unreadable
    ? { scene: { instance }, outcome, words: `no plan: ${plan.words}` }
    : { scene: { instance, plan, failures }, outcome };
}

function solvedPictureOf(instance: Instance, solver: Solver): Picture {
  const solution = solver.solve(instance);
  if (solution.solvable === true) {
    const { plan, cost } = solution;
    const waits = solver.needsWait(instance, cost) === true ? '; every optimal plan has a wait' : '';
    return { scene: { instance, plan, failures: [] }, outcome: 'valid', words: `no plan is cheaper${waits}` };
  }
  const words =
    solution.solvable === false
      ? `no plan: ${whyNone(solution.because, instance)}`
      : `undecided: every plan costs at least ${solution.bound}`;
  return { scene: { instance }, outcome: null, words };
}

function whyNone(because: readonly number[], { agents }: Instance): string {
  const [first = 0] = because;
  if (because.length === 1) return `${letterOf(first)} cannot reach ${goalLetterOf(first)}`;
  const alone = because.length < agents.length ? ', even if they were alone' : '';
  return `${because.map(letterOf).join(', ')} cannot all arrive${alone}`;
}

/** Without a terminal. */
const pipeWidth = 100;

export async function show(context: CommandContext, file: string, options: ShowOptions): Promise<number> {
  refuseClashes(options);
  const { io, flags, paint, signal } = context;
  const { output, plan, solve, ascii } = options;
  const svg = output === undefined ? null : refuseToOverwrite(io.cwd, output, file, [], '--output');
  const page = { colour: hasColours(io.stdout, io.env), width: io.stdout.isTTY ? io.stdout.columns : pipeWidth };
  const source = await openSource(context, file, 'lakes');
  const solver = new Solver();
  let shown = 0;
  let hasPlan = false;
  try {
    for await (const drawable of onlyWhereOne(drawablesIn(source), options)) {
      const answer = plan === undefined ? {} : { answer: plan.split(',').map((moves) => moves.trim()) };
      const picture = solve ? solvedPictureOf(drawable.instance, solver) : pictureOf({ ...drawable, ...answer });
      const { scene } = picture;
      const { id } = scene.instance;
      if (svg !== null) writeFileSync(svg, svgOf(scene, options));
      const letters = ascii ? `${asciiOf(scene.instance)}\n` : null;
      if (flags.json) await context.printJson(resultOf(picture, letters, options));
      else if (svg !== null) await context.say(`wrote ${output ?? ''}`);
      else {
        const facts = paint.dim(summary(scene, walksOf(scene)));
        const head = `${id === undefined ? facts : `${paint.bold(escapeControls(id))}  ${facts}`}\n`;
        await context.print(`${shown > 0 ? '\n' : ''}${letters ?? head + drawing(picture, page, options)}`);
      }
      shown++;
      signal.throwIfAborted();
      hasPlan ||= scene.plan !== undefined;
    }
  } finally {
    source.close();
  }
  if (hasPlan && svg === null && !flags.json) await context.hint(drawingLegend);
  if (shown === 0) await context.say('there are no lakes in the input');
  return 0;
}

const clashes = [
  ['plan', 'solve', 'only one plan is drawn'],
  ['ascii', 'plan', 'letters show no plan'],
  ['ascii', 'solve', 'letters show no plan'],
  ['ascii', 'frames', 'letters show no plan'],
  ['ascii', 'output', 'a lake is drawn in one form'],
  ['animate', 'frames', 'a drawing moves or shows every step'],
] as const;

function refuseClashes(options: ShowOptions): void {
  if (options.animate !== undefined && options.output === undefined) {
    throw new IcecoreError('usage', 'lake show: --animate: found no --output, and a terminal shows no motion', {
      facts: { command: 'lake show', field: '--animate' },
      remedy: 'Name a file: icecore lake show --animate --output lake.svg',
    });
  }
  const clash = clashes.find(([one, other]) => options[one] !== undefined && options[other] !== undefined);
  if (clash === undefined) return;
  const [one, other, why] = clash;
  throw new IcecoreError('usage', `lake show: --${one} and --${other}: ${why}`, {
    facts: { command: 'lake show' },
    remedy: 'icecore lake show --help shows the arguments.',
  });
}

/** All lakes, or the only one if an option is for one; the count is checked before anything is drawn. */
async function* onlyWhereOne(drawables: AsyncGenerator<Drawable>, options: ShowOptions): AsyncGenerator<Drawable> {
  const option = (['output', 'plan'] as const).find((name) => options[name] !== undefined);
  if (option === undefined) return yield* drawables;
  const first = await drawables.next();
  if (first.done === true) return;
  const second = await drawables.next();
  if (second.done === true) yield first.value;
  else {
    const { line } = second.value;
    throw new IcecoreError('usage', `--${option} is for one lake, and another one starts in line ${line}`, {
      facts: { field: `--${option}`, line },
      remedy: 'Pick one: head -n 1 takes the first of a file with one lake per line.',
    });
  }
}

/** Throws without a plan if the drawing should move. */
function svgOf(scene: Scene, { frames, animate }: ShowOptions): string {
  if (animate === undefined) return (frames ? framesSvg : lakeSvg)(scene);
  if (scene.plan !== undefined) return replaySvg(scene);
  throw new IcecoreError('usage', 'lake show: --animate: found no plan that can be drawn', {
    facts: { command: 'lake show', field: '--animate' },
    remedy: 'Put a plan in the line, or use --plan or --solve.',
  });
}

function drawing({ scene, words }: Picture, page: Page, { frames }: ShowOptions): string {
  const draw = scene.plan === undefined ? linesOfLake : frames ? frameLines : trailLines;
  const drawn = draw(scene, page).map((line) => `${line.trimEnd()}\n`);
  return `${drawn.join('')}${words === undefined ? '' : `${escapeControls(words)}\n`}`;
}

function resultOf(picture: Picture, letters: string | null, options: ShowOptions): LakeShown {
  const { instance, plan } = picture.scene;
  return {
    ...{ id: instance.id ?? null, digest: digestOf(instance), plan: plan === undefined ? null : [...plan] },
    outcome: picture.outcome,
    drawing: letters ?? drawing(picture, { colour: false, width: pipeWidth }, options),
    svg: options.output ?? null,
  };
}
