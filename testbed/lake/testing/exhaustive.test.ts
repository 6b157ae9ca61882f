import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { Random } from '../../../src/lab/random.ts';
import type { Agent, Cell, Instance } from '../instance.ts';
import type { Moves, Plan } from '../plan.ts';
import { exhaustive } from './exhaustive.ts';
import { randomLake } from './random-lakes.ts';

/** Two drawings of one lake, row by row: starts and goals of agents a, b, ... `#` is a hole. */
function drawn(starts: string, goals: string): Instance {
  const [from, to] = [starts, goals].map((drawing) => drawing.replaceAll(' ', '')) as [string, string];
  const names = [...from].filter((letter) => /[a-z]/.test(letter)).sort();
  return {
    size: Math.sqrt(from.length),
    holes: Uint8Array.from(from, (letter) => (letter === '#' ? 1 : 0)),
    agents: names.map((name) => ({ start: from.indexOf(name), goal: to.indexOf(name) })),
  };
}

/** All texts of this many moves that bring a single agent from its start to its goal. */
function textsOf({ size, holes }: Instance, { start, goal }: Agent, length: number): Moves[] {
  const walk = (cell: Cell, text: Moves): Moves[] => {
    if (text.length === length) return cell === goal ? [text] : [];
    return ['U', 'D', 'L', 'R', 'W'].flatMap((letter) => {
      const next = moved(cell, letter, size);
      return next === null || holes[next] === 1 ? [] : walk(next, text + letter);
    });
  };
  return walk(start, '');
}

function moved(cell: Cell, letter: string, size: number): Cell | null {
  if (letter === 'U') return cell < size ? null : cell - size;
  if (letter === 'D') return cell >= size * (size - 1) ? null : cell + size;
  if (letter === 'L') return cell % size === 0 ? null : cell - 1;
  if (letter === 'R') return cell % size === size - 1 ? null : cell + 1;
  return cell;
}

/** The position of an agent at every step from 0 to `steps`; null once it has left the free cells. */
function standings({ size, holes }: Instance, { start }: Agent, text: Moves, steps: number): (Cell | null)[] {
  const cells: (Cell | null)[] = [start];
  for (let step = 0; step < steps; step++) {
    const cell = cells[step] ?? null;
    const next = cell === null ? null : moved(cell, text[step] ?? 'W', size);
    cells.push(next === null || holes[next] === 1 ? null : next);
  }
  return cells;
}

function isValid(instance: Instance, plan: Plan): boolean {
  const steps = Math.max(...plan.map((text) => text.length));
  const walks = instance.agents.map((agent, index) => standings(instance, agent, plan[index] ?? '', steps));
  return walks.every((mine, index) => {
    if (mine.includes(null) || mine[steps] !== instance.agents[index]?.goal) return false;
    return walks.slice(index + 1).every((other) =>
      mine.every((cell, step) => {
        if (cell === other[step]) return false;
        return step === 0 || cell !== other[step - 1] || other[step] !== mine[step - 1];
      }),
    );
  });
}

/** All valid plans with this number of letters in total. */
function plansOf(instance: Instance, letters: number): Plan[] {
  const complete = (plan: Plan, left: number): Plan[] => {
    const agent = instance.agents[plan.length];
    if (agent === undefined) return left === 0 && isValid(instance, plan) ? [plan] : [];
    return Array.from({ length: left + 1 }, (_, length) => textsOf(instance, agent, length))
      .flat()
      .flatMap((text) => complete([...plan, text], left - text.length));
  };
  return complete([], letters);
}

function lakes(agents: readonly number[], sizes: readonly number[], holes: number): fc.Arbitrary<Instance> {
  return fc
    .record({
      seed: fc.nat(),
      size: fc.constantFrom(...sizes),
      agents: fc.constantFrom(...agents),
      holes: fc.nat(holes),
      mayStartAtGoal: fc.constant(true),
    })
    .map(({ seed, ...shape }) => randomLake(new Random(String(seed), 'exhaustive'), shape));
}

describe('lakes with an obvious optimum', () => {
  it.each([
    ['a single agent takes a shortest path', 'a#. .#. ...', '.#a .#. ...', 6, false],
    ['no agent has to move', 'ab. ... ...', 'ab. ... ...', 0, false],
    ['one follows the other', 'ab. ### ###', '.ab ### ###', 2, false],
    ['three go round a ring', 'ab# .c# ###', '.a# cb# ###', 3, false],
    ['four go round a full ring', 'ab# dc# ###', 'da# cb# ###', 4, false],
    ['an agent makes way and comes back to its goal', 'ba. #.# ###', '.ab #.# ###', 4, false],
    ['two pass each other by a pocket, and one has to wait for it', 'a.b #.# ###', 'b.a #.# ###', 7, true],
    ['staying on the goal before making way is a wait', 'b.a. ##.# #### ####', '..ab ##.# #### ####', 6, true],
  ])('%s', (_, starts, goals, cost, needsWait) => {
    expect(exhaustive(drawn(starts, goals))).toMatchObject({ cost, needsWait });
  });

  it.each([
    ['two want to pass in a corridor', 'a.b ### ###', 'b.a ### ###'],
    ['two want to exchange neighbouring cells of a corridor', 'ab. ### ###', 'ba. ### ###'],
    ['two want to change their order in a full ring', 'ab# dc# ###', 'ba# dc# ###'],
    ['a goal is behind holes', 'a#. ##. ...', '.#a ##. ...'],
  ])('has no plan when %s', (_, starts, goals) => {
    expect(exhaustive(drawn(starts, goals))).toBeNull();
  });
});

describe('the plan', () => {
  it('is valid and has the reported cost', () => {
    fc.assert(
      fc.property(lakes([1, 2, 3, 4], [3, 4], 5), (instance) => {
        const found = exhaustive(instance);
        if (found === null) return;
        expect(isValid(instance, found.plan)).toBe(true);
        expect(found.plan.join('')).toHaveLength(found.cost);
      }),
      { numRuns: tries(60) },
    );
  });

  it('is the cheapest of all enumerated plans, and waits only if all plans of its cost do', () => {
    const written = 7;
    fc.assert(
      fc.property(lakes([2, 3], [3], 4), (instance) => {
        const found = exhaustive(instance);
        const cost = found?.cost ?? Number.POSITIVE_INFINITY;
        for (let letters = 0; letters < Math.min(cost, written + 1); letters++) {
          expect(plansOf(instance, letters)).toEqual([]);
        }
        if (found === null || cost > written) return;
        const optimal = plansOf(instance, cost);
        expect(optimal).toContainEqual(found.plan);
        expect(found.needsWait).toBe(optimal.every((plan) => plan.join('').includes('W')));
      }),
      { numRuns: tries(200) },
    );
  });
});

describe('two agents on 3x3, none on its goal, up to symmetry and exchange of the agents', () => {
  const counts = [0, 1, 2, 3].map((holes) => {
    const found = classes(holes).map(exhaustive);
    const solvable = found.filter((optimum) => optimum !== null);
    return {
      classes: found.length,
      solvable: solvable.length,
      waiting: solvable.filter(({ needsWait }) => needsWait).length,
    };
  });

  it('are 272 without holes, of which 4 need a wait', () => {
    expect(counts[0]).toEqual({ classes: 272, solvable: 272, waiting: 4 });
  });

  it('are 6,097 with up to three holes that have a plan', () => {
    expect(counts.reduce((sum, { solvable }) => sum + solvable, 0)).toBe(6097);
  });
});

/** One of each class, by the smallest number that encodes any of its members. */
function classes(holes: number): Instance[] {
  const known = new Map<number, Instance>();
  for (const instance of all(holes)) {
    const name = Math.min(...symmetries.flatMap((moved) => namesOf(instance, moved)));
    if (!known.has(name)) known.set(name, instance);
  }
  return [...known.values()];
}

const cells = Array.from({ length: 9 }, (_, cell) => cell);

/** For every cell its image: four rotations, and each of them mirrored. */
const symmetries = [0, 1, 2, 3].flatMap((turns) => {
  const transformed = cells.map((cell) => {
    let [row, column] = [Math.floor(cell / 3), cell % 3];
    for (let turn = 0; turn < turns; turn++) [row, column] = [column, 2 - row];
    return [row, column] as const;
  });
  return [
    transformed.map(([row, column]) => row * 3 + column),
    transformed.map(([row, column]) => row * 3 + 2 - column),
  ];
});

function namesOf({ holes, agents }: Instance, moved: readonly Cell[]): number[] {
  const where = (cell: Cell) => moved[cell] as Cell;
  const ice = cells.reduce((sum, cell) => sum + (holes[cell] === 1 ? 2 ** where(cell) : 0), 0);
  const ways = agents.map(({ start, goal }) => where(start) * 9 + where(goal));
  return [ways, ways.toReversed()].map(([one, other]) => (ice * 81 + (one as number)) * 81 + (other as number));
}

function all(holes: number): Instance[] {
  const lakesOf = (from: Cell, chosen: readonly Cell[]): Uint8Array[] =>
    chosen.length === holes
      ? [Uint8Array.from(cells, (cell) => (chosen.includes(cell) ? 1 : 0))]
      : cells.slice(from).flatMap((cell) => lakesOf(cell + 1, [...chosen, cell]));
  return lakesOf(0, []).flatMap((lake) => {
    const free = cells.filter((cell) => lake[cell] === 0);
    const ways = free.flatMap((start) => free.filter((goal) => goal !== start).map((goal) => ({ start, goal })));
    return ways.flatMap((one) =>
      ways
        .filter((other) => other.start !== one.start && other.goal !== one.goal)
        .map((other) => ({ size: 3, holes: lake, agents: [one, other] })),
    );
  });
}
