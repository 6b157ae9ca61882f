// One line for what a stage came to, and one for what was decided after it.
import type { Descriptor } from '../../../schemas/environment.ts';
import { isShare } from '../../analysis/figures.ts';
import { count, duration } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { StageHistory } from '../../producers/run/history.ts';
import type { Decision } from '../../producers/run/writing.ts';
import { percent } from '../lake/training/figures.ts';

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
    typeof value === 'number' ? [`${visible(measure)} ${isShare(measure) ? percent(value) : amount(value)}`] : [],
  );
  const alerts = completed?.data.alerts ?? [];
  const told = alerts.map(({ kind, family }) => `${kind}${family === null ? '' : ` of ${visible(family)}`}`);
  const heeded = told.length === 0 ? '' : `; ${told.slice(0, 2).join(', ')}${told.length > 2 ? ', ...' : ''}`;
  return `stage ${stage}: ${[...figures, duration(seconds)].join(', ')}${heeded}`;
}

/** `  checkpoint: 3.data .12 -> .05, 8.hole .15 -> .1 and 5 more` */
function decisionLine(
  { adopted, rejections, errors, proposals }: StageHistory,
  causes: NonNullable<Decision['causes']>,
  { knobs }: Descriptor,
): string {
  const decided = adopted?.data;
  if (decided === undefined) return '';
  // What was asked for by hand beside it has no part in the decision.
  const isCause = ({ id }: { readonly id: string }): boolean =>
    causes.some((cause) => 'event' in cause && cause.event === id);
  const why = rejections.find(isCause)?.data;
  const errored = errors.find(isCause)?.data;
  const adoptedFrom = proposals.find(({ id }) => id === decided.proposal)?.data ?? why ?? errored;
  const who = visible(decided.by === 'human' ? decided.by : (adoptedFrom?.engineer.name ?? decided.by));
  if (decided.by === 'kept') {
    return `  ${who}: no usable proposal (${why?.reason ?? 'none came'}); the configuration stays`;
  }
  if (decided.by === 'errored') {
    return `  ${who}: errored (${visible(errored?.error.message ?? 'no reason is recorded')}); the configuration stays`;
  }
  const steps = new Map(knobs.map(({ name, step }) => [name, step]));
  const moved = ({ knob, from, to }: (typeof decided.changes)[number]): number =>
    Math.abs(to - (from ?? 0)) / (steps.get(knob) ?? 1);
  const changes = decided.changes.toSorted((a, b) => moved(b) - moved(a));
  if (changes.length === 0) return `  ${who}: keeps the configuration`;
  const told = changes
    .slice(0, mostChanges)
    .map(({ knob, from, to }) => `${visible(knob)} ${from === null ? '-' : short(from)} -> ${short(to)}`);
  const more = changes.length - told.length;
  return `  ${who}: ${told.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Counts of tokens are whole, money is not. */
function amount(value: number): string {
  return Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(3)));
}

function short(value: number): string {
  return String(Number(value.toPrecision(2)));
}
