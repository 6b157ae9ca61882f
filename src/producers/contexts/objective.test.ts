import { expect, it } from 'vitest';
import { coins, coinsNow } from '../../lab/engineers/testing/questions.ts';
import { headText } from './objective.ts';

it('the list of knobs names the failures that more of a knob teaches the policy to avoid', () => {
  const knobs = coins.knobs.map((knob) => (knob.name === 'kinds' ? { ...knob, teaches: ['mixed', 'lost'] } : knob));
  const text = headText({ ...coins, knobs }, coinsNow);
  expect(text).toMatch(/^ {2}kinds .* how many kinds of coins there are; more of it teaches to avoid mixed, lost$/m);
  expect(text).toMatch(/^ {2}small\.share .* the share of the tasks with small piles$/m);
});
