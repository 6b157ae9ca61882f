// What lakes are told apart by beside their size: how many agents they have, and how many of them need a wait (in suites),
// or whether they do (lakes one by one).
import type { Cell } from './rates.ts';

export interface Condition {
  readonly name: string;
  readonly value: string | number | boolean;
}

const waitNames = ['wait', 'needsWait'] as const;

/** Numbers of agents, fewest first. */
export function agentsIn(cells: readonly Cell[]): readonly Condition[] {
  return valuesOf(cells, 'agents');
}

export function waitsIn(cells: readonly Cell[]): readonly Condition[] {
  return waitNames.flatMap((name) => valuesOf(cells, name));
}

export function meets({ conditions = {} }: Cell, { name, value }: Condition): boolean {
  return conditions[name] === value;
}

function valuesOf(cells: readonly Cell[], name: string): readonly Condition[] {
  const values = new Set(cells.flatMap(({ conditions = {} }) => conditions[name] ?? []));
  return [...values].sort((a, b) => Number(a) - Number(b)).map((value) => ({ name, value }));
}

export function titleOf({ name, value }: Condition): string {
  switch (name) {
    case 'agents':
      return value === 1 ? '1 agent' : `${value} agents`;
    case 'wait':
      return `${Math.round(100 * Number(value))} % wait`;
    default:
      return value === true ? 'wait' : 'no wait';
  }
}
