import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NotAnInstance } from './instance.ts';
import { instanceOf, lineOf } from './line.ts';
import { instances } from './testing/arbitraries.ts';

const good = {
  id: 'lake-1',
  size: 4,
  holes: [
    [1, 1],
    [3, 2],
  ],
  agents: [
    { start: [0, 0], goal: [3, 3] },
    { start: [3, 3], goal: [0, 0] },
    { start: [2, 2], goal: [2, 2] },
  ],
};

describe('a line', () => {
  it('contains the row and column of every hole, start and goal', () => {
    const { id, size, holes, agents } = instanceOf(good);
    expect({ id, size, agents }).toEqual({
      id: 'lake-1',
      size: 4,
      agents: [
        { start: 0, goal: 15 },
        { start: 15, goal: 0 },
        { start: 10, goal: 10 },
      ],
    });
    expect([...holes]).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
  });

  it('round-trips every instance through JSON', () => {
    fc.assert(
      fc.property(instances(), (instance) => {
        expect(instanceOf(JSON.parse(JSON.stringify(lineOf(instance))))).toEqual(instance);
      }),
    );
  });

  it('may list holes in any order, and have other keys', () => {
    const { holes } = good;
    expect(instanceOf({ ...good, holes: holes.toReversed(), plan: ['UU'], cost: 3 })).toEqual(instanceOf(good));
    expect(lineOf(instanceOf({ ...good, holes: holes.toReversed() }))).toEqual(good);
  });

  it('needs no id', () => {
    const { id: _, ...rest } = good;
    expect('id' in instanceOf(rest)).toBe(false);
    expect('id' in lineOf(instanceOf(rest))).toBe(false);
  });

  it('may write a zero with a sign', () => {
    const signed = { size: 3, holes: [], agents: [{ start: [-0, -0], goal: [-0, 2] }] };
    expect(instanceOf(signed).agents).toEqual([{ start: 0, goal: 2 }]);
  });
});

const agent = (start: unknown, goal: unknown = [3, 0]): unknown => ({
  ...good,
  agents: [
    { start: [0, 1], goal: [0, 2] },
    { start, goal },
  ],
});
const cell = 'a cell: [row, column], two whole numbers from 0 to 3';
const free = 'a cell without a hole';
const own = 'a different cell for every agent';

const refusals: readonly (readonly [what: string, line: unknown, field: string, found: string, allowed: string])[] = [
  ['a text', 'a lake', '', '"a lake"', 'an object: {"size": 8, "holes": [...], "agents": [...]}'],
  ['a list', [good], '', 'a list of 1', 'an object: {"size": 8, "holes": [...], "agents": [...]}'],
  ['null', null, '', 'null', 'an object: {"size": 8, "holes": [...], "agents": [...]}'],
  ['a numbered id', { ...good, id: 7 }, 'id', '7', 'a text without control characters'],
  ['an empty id', { ...good, id: '' }, 'id', '""', 'a text without control characters'],
  ['an id of two lines', { ...good, id: 'a\nb' }, 'id', '"a\\nb"', 'a text without control characters'],
  ['a lone surrogate as id', { ...good, id: '\ud800' }, 'id', '"\\ud800"', 'a text without control characters'],
  ['no size', { ...good, size: undefined }, 'size', 'nothing', 'a whole number from 3 to 32'],
  ['a size as a text', { ...good, size: '4' }, 'size', '"4"', 'a whole number from 3 to 32'],
  ['a fractional size', { ...good, size: 4.5 }, 'size', '4.5', 'a whole number from 3 to 32'],
  ['a size too small', { ...good, size: 2 }, 'size', '2', 'a whole number from 3 to 32'],
  ['a size too large', { ...good, size: 33 }, 'size', '33', 'a whole number from 3 to 32'],
  ['no holes', { ...good, holes: undefined }, 'holes', 'nothing', 'a list of cells: [[row, column], ...]'],
  ['holes by number', { ...good, holes: [5] }, 'holes[0]', '5', cell],
  ['a hole of three numbers', { ...good, holes: [[1, 1, 1]] }, 'holes[0]', '[1, 1, 1]', cell],
  ['a hole as texts', { ...good, holes: [['1', 1]] }, 'holes[0]', '["1", 1]', cell],
  ['a hole between cells', { ...good, holes: [[0.5, 1]] }, 'holes[0]', '[0.5, 1]', cell],
  [
    'a hole off the grid',
    {
      ...good,
      holes: [
        [1, 1],
        [3, 4],
      ],
    },
    'holes[1]',
    '[3, 4]',
    cell,
  ],
  ['a hole before the grid', { ...good, holes: [[-1, 0]] }, 'holes[0]', '[-1, 0]', cell],
  [
    'a hole twice',
    {
      ...good,
      holes: [
        [1, 1],
        [1, 2],
        [1, 1],
      ],
    },
    'holes[2]',
    '[1, 1] again',
    'each hole once',
  ],
  ['no agents', { ...good, agents: [] }, 'agents', '[]', 'a list of 1 to 26 agents: [{"start", "goal"}, ...]'],
  [
    'agents as an object',
    { ...good, agents: {} },
    'agents',
    'an object',
    'a list of 1 to 26 agents: [{"start", "goal"}, ...]',
  ],
  [
    'too many agents',
    { ...good, agents: Array(27).fill(0) },
    'agents',
    'a list of 27',
    'a list of 1 to 26 agents: [{"start", "goal"}, ...]',
  ],
  [
    'an agent as a list',
    { ...good, agents: [[0, 0]] },
    'agents[0]',
    '[0, 0]',
    'an object: {"start": [row, column], "goal": [row, column]}',
  ],
  ['an agent without a start', agent(undefined), 'agents[1].start', 'nothing', cell],
  ['a start off the grid', agent([4, 0]), 'agents[1].start', '[4, 0]', cell],
  ['a goal off the grid', agent([2, 0], [0, 1e9]), 'agents[1].goal', '[0, 1000000000]', cell],
  ['a goal that is null', agent([2, 0], null), 'agents[1].goal', 'null', cell],
  ['a start on a hole', agent([1, 1]), 'agents[1].start', '[1, 1], a hole', free],
  ['a goal on a hole', agent([2, 0], [3, 2]), 'agents[1].goal', '[3, 2], a hole', free],
  ['two agents on one start', agent([0, 1]), 'agents[1].start', '[0, 1], as agents[0].start', own],
  ['two agents with one goal', agent([2, 0], [0, 2]), 'agents[1].goal', '[0, 2], as agents[0].goal', own],
];

describe('a line is refused with the field, for', () => {
  it.each(refusals)('%s', (_, line, field, found, allowed) => {
    const refusal = refusalOf(line);
    expect(refusal).toMatchObject({ kind: 'bad-input', facts: { field, found, allowed } });
    expect(refusal.message).toBe(`${field || 'the instance'}: found ${found}, allowed: ${allowed}`);
  });

  it('any value of a field', () => {
    const paths = [
      ['size'],
      ['holes'],
      ['holes', 0],
      ['holes', 0, 1],
      ['agents'],
      ['agents', 1],
      ['agents', 0, 'goal'],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...paths),
        fc.anything({ withBigInt: true, withSparseArray: true }),
        (path, value) => {
          const line = structuredClone(good);
          put(line, path, value);
          try {
            expect(lineOf(instanceOf(line)).size).toBe(line.size);
          } catch (error) {
            expect(error).toBeInstanceOf(NotAnInstance);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

function refusalOf(line: unknown): NotAnInstance {
  try {
    instanceOf(line);
  } catch (error) {
    if (error instanceof NotAnInstance) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

function put(within: object, [key, ...rest]: readonly (string | number)[], value: unknown): void {
  const fields = within as Record<string | number, unknown>;
  if (key === undefined) return;
  if (rest.length === 0) fields[key] = value;
  else put(fields[key] as object, rest, value);
}
