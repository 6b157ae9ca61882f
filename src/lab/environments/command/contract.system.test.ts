import { describe } from 'vitest';
import { environmentContract } from '../contract/environment-contract.ts';
import { hasPython, openArithmetic, rightAnswer } from './testing/arithmetic.ts';

describe.skipIf(!hasPython)('command, with the arithmetic example; skipped where there is no Python', () => {
  environmentContract('command', {
    open: openArithmetic,
    right: rightAnswer,
    wrong: (task) => ['I do not know.', rightAnswer(task) + 7, null, { plan: ['U', 'D'] }],
    many: 200,
  });
});
