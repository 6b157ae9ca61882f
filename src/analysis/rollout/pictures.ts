// Drawings of a rollout and of the best answer to its task. They are made now, by an environment that is registered here: no image from
// a ledger reaches a page, and no program that a run names is started.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { FrameChoice, RolloutDrawing, RolloutShown } from '../../../schemas/rollout-output.ts';
import { type Drawing, type Environment, type Frame, isSpoilt, type Task } from '../../lab/environments/environment.ts';
import { familyOf } from '../../lab/environments/rollout-reading.ts';
import type { Registry } from '../../lab/registry.ts';
import { Environments, type Opened } from '../../producers/recompute/environments.ts';
import { pictureOf, taskOfRollout } from '../../producers/summaries/summarise.ts';

/** The wanted pictures. */
export interface PictureChoice {
  /** Of single steps. Fewer than all leave out drawings in motion as well. */
  readonly frames: FrameChoice;
  /** Whether the best answer is looked for and drawn. */
  readonly plan: boolean;
}

export interface PictureSources {
  readonly data: EventData['RolloutRecorded'];
  readonly failure: EventData['FailureRecorded'] | null;
  /** Null: the run does not describe its environment. */
  readonly descriptor: Descriptor | null;
  readonly registry: Registry;
  readonly wanted: PictureChoice;
  readonly signal: AbortSignal;
}

type Pictures = RolloutShown['pictures'];

const nothing: Pictures = { legend: null, drawing: null, plan: null, note: null };

export async function picturesOf(sources: PictureSources): Promise<Pictures> {
  const { data, descriptor, registry, signal } = sources;
  const { environment: name } = data;
  if (!registry.environments.has(name))
    return { ...nothing, note: `not drawn: no environment "${name}" is registered here` };
  if (descriptor === null) return { ...nothing, note: 'not drawn: its run does not describe the environment' };
  const environments = new Environments({ allow: null, registry, signal });
  try {
    const opened = await environments.of(name, descriptor);
    return 'why' in opened ? { ...nothing, note: `not drawn: ${opened.why}` } : await drawnBy(opened, sources);
  } finally {
    await environments.close();
  }
}

async function drawnBy(
  { environment }: Extract<Opened, { environment: unknown }>,
  sources: PictureSources,
): Promise<Pictures> {
  const { data, descriptor, wanted, signal } = sources;
  const legend = environment.descriptor.drawings ?? null;
  if (environment.draw === undefined) return { ...nothing, note: 'not drawn: its environment makes no drawings' };
  const family = data.family ?? (descriptor === null ? null : familyOf(descriptor, data)) ?? '';
  const task = taskOfRollout(data, family);
  if (task === null) return { ...nothing, legend, note: 'not drawn: its event does not hold the task' };
  const drawn = await noted('not drawn', () => rolloutDrawn(environment, { ...sources, family }));
  const planned = await noted('no best answer', async () =>
    wanted.plan ? await planDrawn(environment, task, wanted, signal) : null,
  );
  const notes = [drawn.note, drawn.value?.note ?? null, planned.note, planned.value?.note ?? null].filter(
    (note) => note !== null,
  );
  return {
    legend,
    drawing: drawn.value?.drawing ?? null,
    plan: planned.value?.plan ?? null,
    note: notes.length === 0 ? null : notes.join('; '),
  };
}

/** A missing drawing is no error of the whole answer. */
async function noted<Value>(
  what: string,
  make: () => Promise<Value>,
): Promise<{ readonly value: Value | null; readonly note: string | null }> {
  try {
    return { value: await make(), note: null };
  } catch (fault) {
    if (!(fault instanceof IcecoreError)) throw fault;
    return { value: null, note: `${what}: ${fault.message}` };
  }
}

async function rolloutDrawn(
  environment: Environment,
  { data, failure, family, wanted }: PictureSources & { family: string },
) {
  const seen = {
    ...{ id: '', data, family, failureClass: data.failureClass ?? null },
    failure: failure === null ? null : { id: '', data: failure },
  };
  const drawing = await pictureOf(environment, seen);
  if (drawing === null) return null;
  const [first] = failure?.failures ?? data.failures ?? [];
  const { shown, note } = bounded(drawing, wanted, first?.step ?? null);
  const noAnswer = data.answer === undefined ? 'its answer is not recorded, so the task is drawn without it' : null;
  return { drawing: shown, note: [noAnswer, note].filter((one) => one !== null).join('; ') || null };
}

const secondsToSolve = 5;

async function planDrawn(environment: Environment, task: Task, wanted: PictureChoice, signal: AbortSignal) {
  if (environment.solve === undefined || environment.draw === undefined) return null;
  const patience = AbortSignal.timeout(secondsToSolve * 1_000);
  const answer = await environment.solve(task, AbortSignal.any([signal, patience])).catch((fault: unknown) => {
    if (patience.aborted && !signal.aborted) return undefined;
    throw fault;
  });
  if (answer === undefined) return { plan: null, note: `no best answer was found within ${secondsToSolve} s` };
  if (answer === null) return { plan: null, note: 'the environment finds no best answer' };
  for await (const verdict of environment.judge([{ task, answer }], signal)) {
    if (isSpoilt(verdict) || !verdict.success) break;
    const { shown, note } = bounded(await environment.draw(task, answer, verdict), wanted, null);
    return { plan: { answer, ...shown }, note: note === null ? null : `of the best answer, ${note}` };
  }
  return { plan: null, note: 'the answer that the environment finds does not solve the task' };
}

/** In characters of SVG: of one picture, and of all frames together. More would make a page slow to open. */
const longestSvg = 500_000;
const longestFrames = 8_000_000;

/** `failed`: the first step that failed; null if none did. */
function bounded(
  { text, svg, animation, frames = [] }: Drawing,
  { frames: choice }: PictureChoice,
  failed: number | null,
): {
  readonly shown: RolloutDrawing;
  readonly note: string | null;
} {
  const fits = (one: string | undefined): string | null => (one === undefined || one.length > longestSvg ? null : one);
  const chosen = framesOf(frames, choice, failed);
  const isTooMuch = chosen.reduce((sum, frame) => sum + frame.svg.length, 0) > longestFrames;
  const shown = {
    text,
    svg: fits(svg),
    animation: choice === 'all' ? fits(animation) : null,
    frames: chosen.length === 0 || isTooMuch ? null : chosen.map((frame) => ({ ...frame })),
  };
  return { shown, note: isTooMuch ? `its ${frames.length} steps are too many to draw one by one` : null };
}

function framesOf(frames: readonly Frame[], choice: FrameChoice, failed: number | null): readonly Frame[] {
  const last = frames.length - 1;
  const at = { first: 0, last, failed: Math.min(failed ?? last, last) };
  if (choice === 'all') return frames;
  return choice === 'none' ? [] : frames.slice(at[choice], at[choice] + 1);
}
