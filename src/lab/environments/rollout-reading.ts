// Reads a rollout through its descriptor: whether it failed, how, and its family. SQL tables apply the same rules, so
// they are simple: a missing field is null; texts, numbers and booleans are equal if they are the same JSON; only
// numbers are ordered; objects and lists equal nothing.
import type { Condition, Descriptor, Pick as FieldPick } from '../../../schemas/environment.ts';
import { memberOf } from './knobs.ts';

type Data = Readonly<Record<string, unknown>>;

type Test = Extract<Condition, { all: unknown }>['all'][number];

export function isFailed({ failed }: Descriptor, data: Data): boolean {
  return meets(failed, data);
}

/** The failure class; null if the rollout has none. Meaningless for a rollout that did not fail. */
export function failureClassOf({ failureClass }: Descriptor, data: Data): string | null {
  return picked(failureClass, data);
}

export function familyOf({ family }: Descriptor, data: Data): string | null {
  return picked(family, data);
}

export function meets(condition: Condition, data: Data): boolean {
  if ('any' in condition) return condition.any.some((test) => passes(test, data));
  return condition.all.every((test) => passes(test, data));
}

function passes(test: Test, data: Data): boolean {
  const value = fieldOf(data, test.field);
  if ('equals' in test) return value === test.equals;
  if ('differs' in test) return value !== test.differs;
  if ('below' in test) return typeof value === 'number' && value < test.below;
  if ('atLeast' in test) return typeof value === 'number' && value >= test.atLeast;
  return (value !== null) === test.present;
}

/** Numbers and booleans become text: the family 8 is called "8". An empty text is null. */
export function picked({ field, otherwise }: FieldPick, data: Data): string | null {
  const value = fieldOf(data, field);
  const word = value === null || typeof value === 'object' ? '' : String(value);
  return word === '' ? (otherwise ?? null) : word;
}

function fieldOf(data: Data, path: readonly string[]): unknown {
  let at: unknown = data;
  for (const step of path) at = memberOf(at, step);
  return at ?? null;
}
