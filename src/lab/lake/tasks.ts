// Generated lakes as tasks of an environment, and tasks as lakes again.
import type { Cell, Shortage, Task } from '../environments/environment.ts';
import type { Kind } from './generator/kind.ts';
import type { Made } from './generator/maker.ts';
import type { LakeShortage } from './generator/shortage.ts';
import type { Instance } from './instance.ts';
import { instanceOf, lineOf } from './line.ts';

/** The `index`-th of what was generated together. */
export function taskOf({ instance, kind, digest, symmetryDigest, cost }: Made, name: string, index: number): Task {
  return {
    id: `${name}-${index}`,
    family: String(kind.size),
    instance: { ...lineOf(instance) },
    digest,
    symmetryDigest,
    facts: { agents: kind.agents, holes: kind.holes, needsWait: kind.needsWait, optimalCost: cost },
  };
}

/** The same with what tells its cell from others of its size, for pools that are laid out in cells. */
export function taskInCell(made: Made, name: string, index: number): Task {
  return { ...taskOf(made, name, index), conditions: conditionsOf(made.kind) };
}

export function shortageOf({ kind, asked, achieved, replaced, says }: LakeShortage): Shortage {
  const cell: Cell = { family: String(kind.size), conditions: conditionsOf(kind) };
  return { cell, asked, achieved, ...(replaced === 0 ? {} : { standIns: replaced }), says };
}

function conditionsOf({ holes, needsWait }: Kind): { holes: number; needsWait: boolean } {
  return { holes, needsWait };
}

/** Throws NotAnInstance where it is none. */
export function lakeOf({ id, instance }: Task): Instance {
  return { ...instanceOf(instance), id };
}
