// The rules of judging in their simplest form, without code of the judge: rows and columns, a snapshot of all positions per step, and a
// check of every pair of agents.
import type { Instance } from '../instance.ts';
import type { Failure, FailureClass, Judgement } from '../judge.ts';
import type { Plan } from '../plan.ts';

interface Skater {
  readonly name: number;
  readonly goal: string;
  readonly moves: string;
  row: number;
  column: number;
  fell: boolean;
  arrived: number;
}

const ways: Readonly<Record<string, readonly [number, number]>> = {
  U: [-1, 0],
  D: [1, 0],
  L: [0, -1],
  R: [0, 1],
  W: [0, 0],
};

const order: readonly FailureClass[] = [
  'parse-error',
  'missing-agent',
  'off-grid',
  'hole',
  'vertex-conflict',
  'swap-conflict',
  'goal-missed',
  'horizon',
  'truncated',
];

const placeOf = ({ row, column }: Skater): string => `${row} ${column}`;

/** For plans with no more texts than agents, of the five letters. */
export function naiveJudge(instance: Instance, plan: Plan, truncated: boolean): Judgement {
  const { size } = instance;
  const skaters = skatersOf(instance, plan);
  const found: Failure[] = [];
  const note = (name: FailureClass, step: number, who: readonly Skater[], place: string | null): void => {
    const [row, column] = (place ?? '').split(' ').map(Number) as [number, number];
    const agents = who.map(({ name }) => name).sort((one, other) => one - other);
    found.push({ class: name, step, agents, cell: place === null ? null : row * size + column });
  };

  const missing = skaters.filter(({ name }) => name >= plan.length);
  if (missing.length > 0) note('missing-agent', 0, missing, null);

  const horizon = 4 * (size + size);
  let steps = 0;
  while (skaters.some((one) => hasMoves(one, steps)) && steps < horizon) {
    steps++;
    oneStep(instance, skaters, steps, note);
  }
  const late = skaters.filter((one) => hasMoves(one, steps));
  for (const one of skaters) {
    if (!one.fell && placeOf(one) !== one.goal && !late.includes(one)) note('goal-missed', steps, [one], placeOf(one));
  }
  if (late.length > 0) note('horizon', horizon + 1, late, null);
  if (truncated && found.length > 0) note('truncated', late.length > 0 ? horizon + 1 : steps, [], null);

  found.sort(
    (one, other) =>
      one.step - other.step ||
      order.indexOf(one.class) - order.indexOf(other.class) ||
      compareLists(one.agents, other.agents),
  );
  const first = found[0];
  if (first !== undefined) return { outcome: first.class, cost: null, steps, failures: found };
  return { outcome: 'valid', cost: skaters.reduce((sum, { arrived }) => sum + arrived, 0), steps, failures: [] };
}

function skatersOf({ size, agents }: Instance, plan: Plan): Skater[] {
  return agents.map(({ start, goal }, name) => ({
    name,
    goal: `${Math.floor(goal / size)} ${goal % size}`,
    moves: plan[name] ?? '',
    row: Math.floor(start / size),
    column: start % size,
    fell: false,
    arrived: 0,
  }));
}

/** Whether moves remain after this many steps; waits on the goal do not count. */
function hasMoves(one: Skater, steps: number): boolean {
  const rest = one.moves.slice(steps);
  if (one.fell || rest === '') return false;
  return !(placeOf(one) === one.goal && [...rest].every((letter) => letter === 'W'));
}

type Note = (name: FailureClass, step: number, who: readonly Skater[], place: string | null) => void;

function oneStep({ size, holes }: Instance, skaters: readonly Skater[], step: number, note: Note): void {
  const before = new Map(skaters.filter(({ fell }) => !fell).map((one) => [one, placeOf(one)]));
  for (const one of before.keys()) {
    const [down, right] = ways[one.moves[step - 1] ?? 'W'] as readonly [number, number];
    const row = one.row + down;
    const column = one.column + right;
    if (row < 0 || column < 0 || row >= size || column >= size) {
      note('off-grid', step, [one], placeOf(one));
      continue;
    }
    if (down !== 0 || right !== 0) one.arrived = step;
    one.row = row;
    one.column = column;
    if (holes[row * size + column] === 0) continue;
    one.fell = true;
    note('hole', step, [one], placeOf(one));
  }

  const onIce = [...before.keys()].filter(({ fell }) => !fell);
  const hasCome = (one: Skater): boolean => before.get(one) !== placeOf(one);
  for (const place of new Set(onIce.map(placeOf))) {
    const here = onIce.filter((one) => placeOf(one) === place);
    if (here.length > 1 && here.some(hasCome)) note('vertex-conflict', step, here, place);
  }
  for (const one of onIce) {
    for (const other of onIce) {
      const changed = before.get(one) === placeOf(other) && before.get(other) === placeOf(one);
      if (one.name < other.name && changed && hasCome(one)) note('swap-conflict', step, [one, other], placeOf(one));
    }
  }
}

function compareLists(one: readonly number[], other: readonly number[]): number {
  for (const [i, member] of one.entries()) {
    const difference = member - (other[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
