// What `icecore lake show` does: draws one lake after the other, as they come.
import { writeFileSync } from 'node:fs';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { LakeShown } from '../../../schemas/lake-output.ts';
import { visible } from '../../base/visible.ts';
import { asciiOf } from '../../lab/lake/ascii.ts';
import { framesSvg, lakeSvg } from '../../lab/lake/drawing/svg.ts';
import { frameLines, lakeLines, trailLines } from '../../lab/lake/drawing/terminal.ts';
import type { Page } from '../../lab/lake/drawing/terminal-canvas.ts';
import { summary, walksOf } from '../../lab/lake/drawing/walk.ts';
import { digestOf } from '../../lab/lake/instance.ts';
import { Solver } from '../../lab/lake/solver/solver.ts';
import type { Context } from '../context.ts';
import { hasColours } from '../output/paint.ts';
import { openSource, refuseToOverwrite } from '../source.ts';
import { type Drawable, drawablesIn } from './drawable.ts';
import { type Picture, pictureOf, solvedPictureOf } from './picture.ts';

export interface ShowOptions {
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
  const svg = output === undefined ? null : refuseToOverwrite(context, output, file, [], '--output');
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
