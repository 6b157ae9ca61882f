import { defineEnvironment } from 'icecore/plugins';
import { z } from 'zod';

export const parity = defineEnvironment({
  name: 'parity',
  summary: 'is a number even or odd?',
  families: { numbers: 'whole numbers' },
  knobs: { digits: { meaning: 'digits of the number', range: [2, 9], step: 1, integer: true, harder: 'more' } },
  start: { families: { numbers: { share: 1, digits: 3 } } },
  outcomes: { right: 'as it is', wrong: 'not as it is' },
  failureClasses: { wrong: 'the other one', unreadable: 'neither even nor odd' },
  instance: z.strictObject({ number: z.int() }),
  answer: z.enum(['even', 'odd']),
  generate: ({ knobs, random }) => ({ number: random.below(10 ** knobs.digits) }),
  judge({ instance, answer }) {
    if (answer === null) return { outcome: 'wrong', failures: [{ class: 'unreadable' }] };
    const isRight = (answer === 'even') === (instance.number % 2 === 0);
    return isRight ? { outcome: 'right', reward: 1 } : { outcome: 'wrong', failures: [{ class: 'wrong' }], reward: 0 };
  },
});
