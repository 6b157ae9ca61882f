import { describe, expect, it } from 'vitest';
import { budgetFrom } from './budget.ts';
import { typedAgain } from './typed.ts';

describe('the command that goes on', () => {
  it('says what was chosen, in words that a shell reads as they are, and the folder', () => {
    const options = { config: 'my config.json', seed: "it's", budget: '5_000' };
    expect(typedAgain(options, { out: 'a' }, [])).toBe(
      `icecore lake train --config 'my config.json' --budget 5_000 --seed 'it'\\''s' --out a`,
    );
  });

  it('ends with the program, where there is one', () => {
    expect(typedAgain({ out: 'a' }, { out: 'a' }, ['sh', '-c', 'echo $A'])).toBe(
      `icecore lake train --out a -- sh -c 'echo $A'`,
    );
  });
});

describe('a budget', () => {
  it('is a number of agent steps, or for programs amounts by unit', () => {
    expect(budgetFrom('1_200_000', false)).toEqual({ 'agent-steps': 1_200_000 });
    expect(budgetFrom('50', true)).toEqual({ 'agent-steps': 50 });
    expect(budgetFrom('updates=200, tokens=5_000_000', true)).toEqual({ updates: 200, tokens: 5_000_000 });
  });

  it.each(['', '1.5', '1e6', '-1', 'updates=', '=5', 'updates=x', 'a=1,a=2', 'a=1,'])('%j is none', (text) => {
    expect(() => budgetFrom(text, true)).toThrow('--budget');
  });
});
