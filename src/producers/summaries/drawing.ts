// What a rollout that stands for many looks like: as its environment draws it, or the task and the answer as they are
// where it does not draw.

import { canonicalJson } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { visible, visibleLines } from '../../base/visible.ts';
import { ProgramRefused } from '../../lab/environments/command/program.ts';
import type { Environment, Judged } from '../../lab/environments/environment.ts';
import type { Seen } from './summary.ts';

/** What an environment draws may be of any size; an engineer has no use for more. */
const mostLines = 60;
const mostColumns = 160;

type Completion = NonNullable<EventData['RolloutRecorded']['completion']>;

export type TextOf = (text: Completion) => Promise<string | null>;

export async function drawingOf(environment: Pick<Environment, 'draw'>, seen: Seen, textOf: TextOf): Promise<string> {
  return clipped((await drawn(environment, seen)) ?? (await written(seen.data, textOf)));
}

/** Null where the environment does not draw, or not this one: to do without a drawing is no reason to stop a run. */
async function drawn(environment: Pick<Environment, 'draw'>, { data, family, failure }: Seen): Promise<string | null> {
  const { task: recorded, answer } = data;
  if (environment.draw === undefined || recorded?.inline === undefined) return null;
  const { id = recorded.digest ?? '', digest, facts = {}, inline } = recorded;
  const task = { id, family, instance: inline, facts, ...(digest === undefined ? {} : { digest }) };
  const verdict: Judged = {
    outcome: data.outcome,
    success: false,
    failures: (failure?.data.failures ?? []) as Judged['failures'],
    metrics: data.metrics ?? {},
    ...(data.reward === undefined ? {} : { reward: data.reward }),
  };
  try {
    return (await environment.draw(task, answer, verdict)).text;
  } catch (error) {
    if (error instanceof ProgramRefused) return null;
    throw error;
  }
}

async function written({ task, answer, completion, expected }: Seen['data'], textOf: TextOf): Promise<string> {
  const said = answer === undefined && completion !== undefined ? await textOf(completion) : null;
  const lines: readonly (readonly [string, unknown])[] = [
    ['task', task?.inline],
    ['answer', answer ?? said ?? undefined],
    ['expected', expected],
  ];
  return lines.flatMap(([what, value]) => (value === undefined ? [] : [`${what}: ${inWords(value)}`])).join('\n');
}

function inWords(value: unknown): string {
  return visible(typeof value === 'string' ? value : canonicalJson(value));
}

/** The text with nothing in it that steers, and no longer or wider than can be read. */
export function clipped(text: string): string {
  const lines = visibleLines(text).split('\n');
  const shown = lines.slice(0, mostLines).map((line) => clippedLine(line).trimEnd());
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`(${more} more lines)`] : [])].join('\n');
}

function clippedLine(line: string): string {
  const characters = [...line];
  return characters.length <= mostColumns ? line : `${characters.slice(0, mostColumns - 1).join('')}…`;
}

/** A sentence on one line. */
export function clippedSentence(text: string): string {
  return clippedLine(visible(text));
}
