// What `icecore lake show` does: draws instances given as JSON lines or in letters.

import { writeFileSync } from 'node:fs';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import type { LakeShown } from '../../../schemas/lake-output.ts';
import { asciiOf, fromAscii } from '../../../testbed/lake/ascii.ts';
import { framesSvg, lakeSvg } from '../../../testbed/lake/drawing/svg.ts';
import { frameLines, lakeLines, trailLines } from '../../../testbed/lake/drawing/terminal.ts';
import type { Page } from '../../../testbed/lake/drawing/terminal-canvas.ts';
import { goalLetterOf, letterOf, type Scene, summary, walksOf } from '../../../testbed/lake/drawing/walk.ts';
import { digestOf, type Instance, NotAnInstance } from '../../../testbed/lake/instance.ts';
import { type Judgement, judge } from '../../../testbed/lake/judge.ts';
import { instanceOf } from '../../../testbed/lake/line.ts';
import { planOf, Unreadable } from '../../../testbed/lake/plan.ts';
import { Solver } from '../../../testbed/lake/solver/solver.ts';
import { hasColours } from '../../base/paint.ts';
import { visible } from '../../base/visible.ts';
import { refuseToOverwrite } from '../../library/place/files.ts';
import { splitLines } from '../../producers/intake/pieces.ts';
import type { Context } from '../context.ts';
import { openSource } from '../source.ts';
import { type Asked, askedIn, faultIn, longestLine } from './lines.ts';

interface Drawable {
  /** Where it begins in the input. */
  readonly line: number;
  readonly instance: Instance;
  /** What was answered to it; undefined where the input says nothing of that. */
  readonly answer?: unknown;
  readonly truncated: boolean;
}

/** Throws at the first that is no instance. */
async function* drawablesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Drawable> {
  let rows: Asked[] = [];
  for await (const pieces of splitLines(bytes, longestLine)) {
    for (const asked of askedIn(pieces)) {
      const isJson = asked.fault !== null || asked.text.startsWith('{');
      const goesOn = !isJson && asked.line === (rows.at(-1)?.line ?? 0) + 1;
      if (rows.length > 0 && !goesOn) {
        yield lettered(rows);
        rows = [];
      }
      if (isJson) yield lined(asked);
      else rows.push(asked);
    }
  }
  if (rows.length > 0) yield lettered(rows);
}

function lettered(rows: readonly Asked[]): Drawable {
  const line = rows[0]?.line ?? 1;
  const text = rows.map((row) => row.text).join('\n');
  try {
    return { line, instance: fromAscii(text), truncated: false };
  } catch (error) {
    // Put where it stands in the input, it is refused with the place that people look for.
    if (error instanceof NotAnInstance) fromAscii('\n'.repeat(line - 1) + text);
    throw error;
  }
}

function lined(asked: Asked): Drawable {
  const fields = parsed(asked);
  try {
    const instance = instanceOf(fields);
    const truncated = fields['truncated'] === true;
    const { plan } = fields;
    return { line: asked.line, instance, truncated, ...(plan === undefined || plan === null ? {} : { answer: plan }) };
  } catch (error) {
    if (!(error instanceof NotAnInstance)) throw error;
    throw badLine(asked, error, remedyFor(fields));
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(asked: Asked): Fields {
  try {
    return parseJson(asked.text) as Fields;
  } catch {
    throw badLine(asked, null, 'Give it lakes, one a line, or drawn in letters.');
  }
}

function badLine(asked: Asked, error: NotAnInstance | null, remedy: string): IcecoreError {
  const { kind, message, ...facts } = faultIn(asked, error);
  return new IcecoreError(kind, message, { facts, remedy });
}

/** The answers of other commands hold no instance. */
function remedyFor(fields: Fields): string {
  if ('size' in fields) return '';
  if ('solvable' in fields) return 'This is an answer of lake solve: draw the instances it was given, with --solve.';
  if ('outcome' in fields) return 'This is an answer of lake judge: draw the lines that were judged.';
  return '';
}

interface Picture {
  readonly scene: Scene;
  readonly outcome: Judgement['outcome'] | null;
  /** What the drawing does not say itself. */
  readonly words: readonly string[];
}

function pictureOf({ instance, answer, truncated }: Drawable): Picture {
  if (answer === undefined) return { scene: { instance }, outcome: null, words: [] };
  const { outcome, failures } = judge(instance, answer, truncated);
  const plan = planOf(answer, instance);
  if (plan instanceof Unreadable) return { scene: { instance }, outcome, words: [`no plan: ${plan.words}`] };
  return { scene: { instance, plan, failures }, outcome, words: [] };
}

function solvedPictureOf(instance: Instance, solver: Solver): Picture {
  const solution = solver.solve(instance);
  const lake = { scene: { instance }, outcome: null };
  switch (solution.solvable) {
    case true: {
      const { plan, cost } = solution;
      const waits = solver.needsWait(instance, cost) === true ? '; in each that costs as little somebody waits' : '';
      return { scene: { instance, plan, failures: [] }, outcome: 'valid', words: [`no plan costs less${waits}`] };
    }
    case false:
      return { ...lake, words: [`no plan: ${despair(solution.because, instance)}`] };
    default:
      return { ...lake, words: [`undecided: every plan costs at least ${solution.bound}`] };
  }
}

function despair(because: readonly number[], { agents }: Instance): string {
  const [first = 0] = because;
  if (because.length === 1) return `${letterOf(first)} cannot reach ${goalLetterOf(first)}`;
  const alone = because.length < agents.length ? ', even if they were alone' : '';
  return `${because.map(letterOf).join(', ')} cannot all arrive${alone}`;
}

interface ShowOptions {
  readonly plan?: string;
  readonly solve?: true;
  readonly frames?: true;
  readonly ascii?: true;
  readonly output?: string;
}

/** Where no terminal says how wide it is. */
const pipeWidth = 100;

export async function show(context: Context, file: string, options: ShowOptions): Promise<number> {
  requireMeant(options);
  const { output } = options;
  const svg = output === undefined ? null : refuseToOverwrite(context.io.cwd, output, file, [], '--output');
  const source = await openSource(context, file, [], 'lakes');
  const solver = new Solver();
  let shown = 0;
  try {
    for await (const drawable of wanted(drawablesIn(source.bytes), options)) {
      const picture = options.solve ? solvedPictureOf(drawable.instance, solver) : pictureOf(asked(drawable, options));
      if (svg !== null) writeFileSync(svg, (options.frames ? framesSvg : lakeSvg)(picture.scene));
      if (context.flags.json) await context.printJson(result(context, picture, options));
      else if (svg !== null) await context.say(`wrote ${visible(output ?? '')}`);
      else await context.print(`${shown > 0 ? '\n' : ''}${text(context, picture, options)}`);
      shown++;
      context.signal.throwIfAborted();
    }
  } finally {
    source.close();
  }
  if (shown === 0) await context.say('there are no lakes in the input');
  return 0;
}

const clashes = [
  ['plan', 'solve', 'one plan is drawn'],
  ['ascii', 'plan', 'letters show no plan'],
  ['ascii', 'solve', 'letters show no plan'],
  ['ascii', 'frames', 'letters show no plan'],
  ['ascii', 'output', 'a lake is drawn in one way'],
] as const;

function requireMeant(options: ShowOptions): void {
  const clash = clashes.find(([one, other]) => options[one] !== undefined && options[other] !== undefined);
  if (clash === undefined) return;
  const [one, other, why] = clash;
  throw new IcecoreError('usage', `lake show: --${one} and --${other}: ${why}`, {
    facts: { command: 'lake show' },
    remedy: 'icecore lake show --help shows what it takes.',
  });
}

/** All of them, or the only one where an option is for one: nothing is drawn before that is known. */
async function* wanted(drawables: AsyncGenerator<Drawable>, options: ShowOptions): AsyncGenerator<Drawable> {
  const option = (['output', 'plan'] as const).find((name) => options[name] !== undefined);
  if (option === undefined) return yield* drawables;
  const first = await drawables.next();
  if (first.done === true) return;
  const second = await drawables.next();
  if (second.done !== true) throw tooMany(`--${option}`, second.value.line);
  yield first.value;
}

function tooMany(option: string, line: number): IcecoreError {
  return new IcecoreError('usage', `${option} is for one lake, and another one begins in line ${line}`, {
    facts: { field: option, line },
    remedy: 'Pick one: head -n 1 takes the first of a file with a lake a line.',
  });
}

function asked(drawable: Drawable, { plan }: ShowOptions): Drawable {
  return plan === undefined ? drawable : { ...drawable, answer: plan.split(',').map((moves) => moves.trim()) };
}

function text(context: Context, picture: Picture, options: ShowOptions): string {
  const { stdout, env } = context.io;
  if (options.ascii) return `${asciiOf(picture.scene.instance)}\n`;
  const page = { colour: hasColours(stdout, env), width: stdout.isTTY ? stdout.columns : pipeWidth };
  return `${heading(context, picture)}\n${drawing(picture, page, options)}`;
}

function heading({ paint }: Context, { scene }: Picture): string {
  const { id } = scene.instance;
  const facts = summary(scene, walksOf(scene));
  return id === undefined ? paint.dim(facts) : `${paint.bold(visible(id))}  ${paint.dim(facts)}`;
}

function drawing({ scene, words }: Picture, page: Page, { frames }: ShowOptions): string {
  const draw = scene.plan === undefined ? lakeLines : frames ? frameLines : trailLines;
  return [...draw(scene, page).map((line) => line.trimEnd()), ...words.map(visible)]
    .map((line) => `${line}\n`)
    .join('');
}

function result(context: Context, picture: Picture, options: ShowOptions): LakeShown {
  const { instance, plan } = picture.scene;
  return {
    id: instance.id ?? null,
    digest: digestOf(instance),
    plan: plan === undefined ? null : [...plan],
    outcome: picture.outcome,
    drawing: options.ascii
      ? text(context, picture, options)
      : drawing(picture, { colour: false, width: pipeWidth }, options),
    svg: options.output ?? null,
  };
}
