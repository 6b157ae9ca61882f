import { describe, expect, it } from 'vitest';
import { typedAgain } from './train.ts';

describe('the command that resumes a training', () => {
  it('has the chosen options, quoted for a shell, and the folder', () => {
    const options = { config: 'my config.json', seed: "it's", budget: { 'agent-steps': 5000 } };
    expect(typedAgain(options, 'a', [])).toBe(
      `icecore lake train --config 'my config.json' --budget 5000 --seed 'it'\\''s' --output a`,
    );
  });

  it('ends with the program, if there is one', () => {
    expect(typedAgain({ budget: { updates: 50, tokens: 7 } }, 'a', ['sh', '-c', 'echo $A'])).toBe(
      `icecore lake train --budget updates=50,tokens=7 --output a -- sh -c 'echo $A'`,
    );
  });
});
