// The joint moves of a few agents by brute force: sets of joint positions, step by step. It answers slowly what parts of the solver answer,
// and shares no code with them.
import type { Agent, Cell, Instance } from '../../instance.ts';

interface Position {
  readonly at: readonly Cell[];
  /** The members that have finally arrived, one bit each. */
  readonly resting: number;
}

/** Other moving agents: whether a move at a step meets one of them. */
export interface Others {
  readonly steps: number;
  meets(step: number, cell: Cell, next: Cell): boolean;
}

const nobody: Others = { steps: 0, meets: () => false };

/** Whether `members` can all finally arrive within `arrivals` (by agent); waiting before that is allowed only with `mayWait`. */
export function canArrive(
  instance: Instance,
  members: readonly number[],
  arrivals: readonly number[],
  mayWait: boolean,
  others: Others = nobody,
): boolean {
  const agents = members.map((member) => instance.agents[member] as Agent);
  const times = members.map((member) => arrivals[member] as number);
  const end = Math.max(...times, others.steps);
  let positions: readonly Position[] = [{ at: agents.map(({ start }) => start), resting: 0 }];
  for (let step = 0; ; step++) {
    const isOver = step >= end || others === nobody;
    if (isOver && positions.some(({ at }) => at.every((cell, x) => cell === agents[x]?.goal))) return true;
    if (step >= end) return false;
    const choicesOf = ({ at, resting }: Position, x: number): readonly Choice[] => {
      const cell = at[x] as Cell;
      const rest = cell === agents[x]?.goal ? [{ cell, rests: true }] : [];
      const hasArrived = ((resting >> x) & 1) === 1 || step >= (times[x] as number);
      const moves = hasArrived ? [] : [...neighboursOf(instance, cell), ...(mayWait ? [cell] : [])];
      const all = [...moves.map((next) => ({ cell: next, rests: false })), ...rest];
      return all.filter((choice) => !others.meets(step, cell, choice.cell));
    };
    positions = distinct(positions.flatMap((position) => jointSteps(position, (x) => choicesOf(position, x))));
  }
}

/** Whether `members` can be on all their goals at once, after any number of steps. */
export function canEverArrive(instance: Instance, members: readonly number[]): boolean {
  const agents = members.map((member) => instance.agents[member] as Agent);
  const goals = agents.map(({ goal }) => goal).join();
  const first = { at: agents.map(({ start }) => start), resting: 0 };
  const seen = new Set([first.at.join()]);
  const open: Position[] = [first];
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    if (position.at.join() === goals) return true;
    const { at } = position;
    const steps = jointSteps(position, (x) => {
      const cell = at[x] as Cell;
      return [cell, ...neighboursOf(instance, cell)].map((next) => ({ cell: next, rests: false }));
    });
    for (const next of steps) {
      if (seen.has(next.at.join())) continue;
      seen.add(next.at.join());
      open.push(next);
    }
  }
  return false;
}

/** The free neighbours of a cell. */
export function neighboursOf({ size, holes }: Instance, cell: Cell): Cell[] {
  const beside: Cell[] = [];
  if (cell >= size) beside.push(cell - size);
  if (cell < size * (size - 1)) beside.push(cell + size);
  if (cell % size > 0) beside.push(cell - 1);
  if (cell % size < size - 1) beside.push(cell + 1);
  return beside.filter((next) => holes[next] === 0);
}

interface Choice {
  readonly cell: Cell;
  readonly rests: boolean;
}

/** All joint steps without meeting or swapping. */
function jointSteps({ at }: Position, choices: (member: number) => readonly Choice[]): Position[] {
  let steps: Position[] = [{ at: [], resting: 0 }];
  for (const [x, cell] of at.entries()) {
    const own = choices(x);
    steps = steps.flatMap((step) =>
      own
        .filter(({ cell: to }) => step.at.every((other, y) => other !== to && !(other === cell && to === at[y])))
        .map(({ cell: to, rests }) => ({ at: [...step.at, to], resting: step.resting | (rests ? 1 << x : 0) })),
    );
  }
  return steps;
}

function distinct(positions: readonly Position[]): readonly Position[] {
  return [...new Map(positions.map((position) => [`${position.at} ${position.resting}`, position])).values()];
}
