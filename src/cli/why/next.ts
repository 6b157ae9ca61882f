// What somebody may ask next who was told why, each as it is typed.
import type { Why } from '../../../schemas/why-output.ts';
import { shellWord } from '../../ledger/shell-word.ts';
import type { Context } from '../context.ts';

type Next = readonly [does: string, typed: string];

export async function sayNext(context: Context, why: Why): Promise<void> {
  const lines = [...deeper(why), ...turned(why), ...surer(why), ...shown(why), ...decided(why)];
  if (lines.length === 0) return;
  const width = Math.max(...lines.map(([does]) => does.length));
  for (const text of ['', 'next:', ...lines.map(([does, typed]) => `  ${does.padEnd(width)}  ${typed}`)]) {
    await context.hint(text);
  }
}

function at({ name }: Why, stage: number): string {
  return shellWord(`${name}@${stage}`);
}

function deeper(why: Why): readonly Next[] {
  const [first] = why.changes;
  if (why.depth === 4 || first === undefined) return [];
  return [['down to the rollouts', `icecore why ${at(why, why.stage)} ${shellWord(first.knob)}`]];
}

/** Of a knob that was asked for, and turned at another time. */
function turned(why: Why): readonly Next[] {
  const [first] = why.unchanged;
  if (first === undefined || why.changes.length > 0) return [];
  const { knob, last, next } = first;
  const typed = (stage: number): string => `icecore why ${at(why, stage)} ${shellWord(knob)}`;
  if (last !== null) return [['when it was turned last', typed(last.stage)]];
  return next === null ? [] : [['when it is turned next', typed(next.stage)]];
}

/** Intervals that overlap, or do not, are no test. */
function surer(why: Why): readonly Next[] {
  const isKnown = why.effects.some(({ validation }) => validation.overlap !== null);
  if (!why.isOver || !isKnown) return [];
  return [['how sure the difference is', `icecore compare ${at(why, why.stage - 1)} ${at(why, why.stage)}`]];
}

function shown(why: Why): readonly Next[] {
  const { context } = why.decision;
  if (context?.isKnown !== true || context.event === null) return [];
  const typed = context.isUsual
    ? `icecore context ${at(why, why.stage - 1)}`
    : `icecore event show ${context.event.event}`;
  return [['what was shown', typed]];
}

function decided({ decision }: Why): readonly Next[] {
  return decision.adopted === null ? [] : [['the decision', `icecore event show ${decision.adopted.event}`]];
}
