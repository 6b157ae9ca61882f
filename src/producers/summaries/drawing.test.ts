import { expect, it } from 'vitest';
import { ProgramRefused } from '../../lab/environments/command/faults.ts';
import { clipped, clippedSentence, drawingOf } from './summarise.ts';
import type { Seen } from './summary.ts';

const seen: Seen = {
  id: 'a-rollout',
  family: 'sums',
  failureClass: 'wrong',
  failure: null,
  data: {
    environment: 'arithmetic',
    split: 'probe',
    policy: 'any',
    outcome: 'wrong',
    task: { id: 'p-1', inline: { numbers: [2, 2] } },
    completion: { text: 'five,\nI think' },
    expected: 4,
  },
};

const textOf = async (text: object): Promise<string | null> => ('text' in text ? String(text.text) : null);

it('without a drawing the task and the answer are written out', async () => {
  expect(await drawingOf({}, seen, textOf)).toBe('task: {"numbers":[2,2]}\nanswer: five,\\nI think\nexpected: 4');
  const answered = { ...seen, data: { ...seen.data, answer: { sum: 5 } } };
  expect(await drawingOf({}, answered, textOf)).toContain('answer: {"sum":5}');
});

it('an erased text is left out', async () => {
  const erased = { ...seen, data: { ...seen.data, completion: { blob: '0'.repeat(64), bytes: 9 } } };
  expect(await drawingOf({}, erased, textOf)).toBe('task: {"numbers":[2,2]}\nexpected: 4');
});

it('a drawing that fails is left out, and a broken environment is reported', async () => {
  const failing = (error: Error) => ({
    draw: async () => {
      throw error;
    },
  });
  const refused = new ProgramRefused('python3', 'draw', 'no such answer', undefined);
  expect(await drawingOf(failing(refused), seen, textOf)).toContain('task:');
  await expect(drawingOf(failing(new Error('it died')), seen, textOf)).rejects.toThrow('it died');
});

it('a drawing gets the task, the answer and the verdict', async () => {
  const answered = { ...seen, data: { ...seen.data, answer: 5, reward: 0 } };
  const draw = async (...handed: unknown[]) => ({ text: JSON.stringify(handed) });
  expect(JSON.parse(await drawingOf({ draw }, answered, textOf))).toEqual([
    { id: 'p-1', family: 'sums', instance: { numbers: [2, 2] }, facts: {} },
    5,
    { outcome: 'wrong', success: false, failures: [], metrics: {}, reward: 0 },
  ]);
});

it('a drawing is limited in length and width, and has no control characters', () => {
  const lines = clipped(`${'line\n'.repeat(99)}end`).split('\n');
  expect(lines.at(-1)).toBe('(40 more lines)');
  expect([...clipped('x'.repeat(999))]).toHaveLength(160);
  expect(clipped('a\u001b[2J  \r\nb')).toBe('a\\x1b[2J\nb');
  expect(clippedSentence('it fell\n# objective')).toBe('it fell\\n# objective');
});
