// Drawings of a rollout and of the best answer to its task. They are made now, by an environment that is registered here: no image from
// a ledger reaches a page, and no program that a run names is started.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RolloutDrawing, RolloutShown } from '../../../schemas/rollout-output.ts';
import { type Drawing, type Environment, isSpoilt, type Task } from '../../lab/environments/environment.ts';
import { familyOf } from '../../lab/environments/rollout-reading.ts';
import type { Registry } from '../../lab/registry.ts';
import { Environments, type Opened } from '../../producers/recompute/environments.ts';
import { pictureOf, taskOfRollout } from '../../producers/summaries/summarise.ts';

export interface PictureSources {
  readonly data: EventData['RolloutRecorded'];
  readonly failure: EventData['FailureRecorded'] | null;
  /** Null: the run does not describe its environment. */
  readonly descriptor: Descriptor | null;
  readonly registry: Registry;
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
  const { data, descriptor } = sources;
  const legend = environment.descriptor.drawings ?? null;
  if (environment.draw === undefined) return { ...nothing, note: 'not drawn: its environment makes no drawings' };
  const family = data.family ?? (descriptor === null ? null : familyOf(descriptor, data)) ?? '';
  const task = taskOfRollout(data, family);
  if (task === null) return { ...nothing, legend, note: 'not drawn: its event does not hold the task' };
  const drawn = await noted('not drawn', () => rolloutDrawn(environment, { ...sources, family }));
  const planned = await noted('no best answer', () => planDrawn(environment, task, sources.signal));
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

async function rolloutDrawn(environment: Environment, { data, failure, family }: PictureSources & { family: string }) {
  const seen = {
    ...{ id: '', data, family, failureClass: data.failureClass ?? null },
    failure: failure === null ? null : { id: '', data: failure },
  };
  const drawing = await pictureOf(environment, seen);
  if (drawing === null) return null;
  const { shown, note } = bounded(drawing);
  const noAnswer = data.answer === undefined ? 'its answer is not recorded, so the task is drawn without it' : null;
  return { drawing: shown, note: [noAnswer, note].filter((one) => one !== null).join('; ') || null };
}

const secondsToSolve = 5;

async function planDrawn(environment: Environment, task: Task, signal: AbortSignal) {
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
    const { shown, note } = bounded(await environment.draw(task, answer, verdict));
    return { plan: { answer, ...shown }, note: note === null ? null : `of the best answer, ${note}` };
  }
  return { plan: null, note: 'the answer that the environment finds does not solve the task' };
}

/** In characters of SVG: of one picture, and of all frames together. More would make a page slow to open. */
const longestSvg = 500_000;
const longestFrames = 8_000_000;

function bounded({ text, svg, animation, frames }: Drawing): {
  readonly shown: RolloutDrawing;
  readonly note: string | null;
} {
  const fits = (one: string | undefined): string | null => (one === undefined || one.length > longestSvg ? null : one);
  const length = frames?.reduce((sum, frame) => sum + frame.svg.length, 0) ?? 0;
  const isTooMuch = length > longestFrames;
  const shown = {
    text,
    svg: fits(svg),
    animation: fits(animation),
    frames: frames === undefined || isTooMuch ? null : frames.map((frame) => ({ ...frame })),
  };
  return { shown, note: isTooMuch ? `its ${frames?.length} steps are too many to draw one by one` : null };
}
