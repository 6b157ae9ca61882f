// Longer training alone can explain a better result: comparisons warn of overspent and of unequal budgets.
import { describe, expect, it } from 'vitest';
import { ledgerWith, made } from './testing/comparing.ts';

const usual = { budget: { 'agent-steps': 400_000 } };
const beyond = { spent: { 'agent-steps': 900_000, updates: 500 } };

describe('the spending of compared runs', () => {
  it('raises no warning if it exceeds the budget by at most the last update', async () => {
    const compare = await ledgerWith(
      made('a'),
      made('b', { trained: { spent: { 'agent-steps': 401_000, updates: 90 } } }),
    );
    const comparison = await compare(['a', 'b']);
    expect(comparison.sets.map(({ warnings }) => warnings)).toEqual([[]]);
    expect(comparison.runs.map(({ overspent }) => overspent)).toEqual([[], []]);
  });

  it('raises a warning if another trainer exceeded its budget, up to the compared stage', async () => {
    const compare = await ledgerWith(made('a'), made('b', { trained: beyond }));
    const comparison = await compare(['a', 'b']);
    const over = { unit: 'agent-steps', budget: 400_000, spent: 900_000 };
    expect(comparison.runs.map(({ overspent }) => overspent)).toEqual([
      [],
      [
        { stage: 1, ...over },
        { stage: 2, ...over },
      ],
    ]);
    expect(comparison.sets[0]?.warnings).toEqual([
      'The training of b in stage 1 took 900,000 agent-steps, more than its budget of 400,000.',
      'The training of b in stage 2 took 900,000 agent-steps, more than its budget of 400,000.',
      'Different spending: a took 800,256 agent-steps, b 1,800,000.',
    ]);
    const [first] = (await compare(['a@1', 'b@1'])).sets;
    expect(first?.warnings).toHaveLength(2);
  });

  it('raises no warning if the last update of the built-in trainer exceeds the budget', async () => {
    const own = { options: { trainer: 'grpo' }, trained: { trainer: { name: 'grpo' }, ...beyond } };
    const compare = await ledgerWith(made('a'), made('b', own), made('c', { ...own, options: {} }));
    expect((await compare(['a', 'b'])).sets[0]?.warnings).toEqual([]);
    expect((await compare(['a', 'c'])).sets[0]?.warnings).not.toEqual([]);
  });

  it('raises a warning if budgets differ and are compared anyway', async () => {
    const more = { started: { budget: { 'agent-steps': 800_000 } }, trained: { spent: { 'agent-steps': 800_100 } } };
    const compare = await ledgerWith(made('a', { started: usual }), made('b', more));
    expect((await compare(['a', 'b'])).apart).toMatchObject([{ runs: ['b'], reasons: [{ kind: 'budget' }] }]);
    expect((await compare(['a', 'b'], { despite: ['budget'] })).sets[0]?.warnings).toEqual([
      'Different budgets per stage: a: 400,000 agent-steps; b: 800,000 agent-steps.',
      'Different spending: a took 800,256 agent-steps, b 1,600,200.',
    ]);
  });
});
