// Arithmetic problems with difficulty knobs, in the process of icecore; environment.py is the same as a separate program. The
// policy that solves them is in pupil.ts.

import { type ConfigurationOf, defineEnvironment, type GenerateOf } from 'icecore/plugins';
import { z } from 'zod';
import { chancesOf, loaded, novice, places, solvedBy } from './pupil.ts';

const operators = { addition: ['+'], multiplication: ['*'], chains: ['+', '-', '*'] } as const;

const instance = z.strictObject({
  numbers: z.array(z.int()).min(1),
  operators: z.array(z.enum(['+', '-', '*'])),
});

export type Problem = z.infer<typeof instance>;

export type Family = keyof typeof operators;

export type Configuration = ConfigurationOf<Family, 'digits' | 'terms', 'negatives'>;

export const arithmetic = defineEnvironment({
  name: 'arithmetic',
  version: '1',
  summary: 'problems to be solved in the head',
  families: {
    addition: 'sums',
    multiplication: 'products',
    chains: 'sums, differences and products in one line',
  },
  knobs: {
    digits: {
      meaning: 'digits of each number',
      range: [1, 4],
      step: 1,
      integer: true,
      harder: 'more',
      provokes: ['off-by-one-digit', 'wrong'],
      cells: [1, 2, 3, 4],
    },
    terms: { meaning: 'how many numbers', range: [2, 4], step: 1, integer: true, harder: 'more', provokes: ['wrong'] },
  },
  settings: {
    negatives: {
      meaning: 'share of the numbers that are negative',
      range: [0, 1],
      step: 0.1,
      harder: 'more',
      provokes: ['wrong-sign'],
    },
  },
  start: {
    families: {
      addition: { share: 0.5, digits: 2, terms: 2 },
      multiplication: { share: 0.25, digits: 1, terms: 2 },
      chains: { share: 0.25, digits: 1, terms: 3 },
    },
    negatives: 0.2,
  },
  outcomes: { right: 'the number asked for', wrong: 'another number, or none' },
  failureClasses: {
    'not-a-number': 'there is no whole number in the answer',
    'wrong-sign': 'right but for its sign',
    'off-by-one-digit': 'right but for one digit',
    wrong: 'wrong in any other way',
  },
  facts: { negative: 'whether one of the numbers is negative' },
  metrics: { distance: 'how far off, as a part of the right number' },
  usual: { policy: 'pupil', trainer: 'practice', budget: { 'agent-steps': 20_000 } },

  instance,
  /** Whole numbers of any length, as text. */
  answer: z.union([z.string().regex(/^-?\d{1,100}$/), z.int().transform(String)]),
  read: (text) => text.replaceAll('\u2212', '-').replaceAll(',', '').match(/-?\d+/g)?.at(-1)?.slice(0, 100),

  generate: drawn,

  /** 3 + 5 and 5 + 3 are the same problem. */
  likeness: ({ numbers, operators: signs }) => {
    const kinds = new Set(signs);
    const isOfOneKind = kinds.size === 1 && !kinds.has('-');
    return [isOfOneKind ? numbers.toSorted((one, other) => one - other) : numbers, signs];
  },

  factsOf: ({ numbers }) => ({ negative: numbers.some((number) => number < 0) }),

  judge({ instance: problem, answer }) {
    const right = solution(problem);
    if (answer === null) {
      const distance = { value: null, reason: 'not a number' };
      return { outcome: 'wrong', failures: [{ class: 'not-a-number' }], metrics: { distance }, reward: 0 };
    }
    const found = BigInt(answer);
    if (found === right) return { outcome: 'right', metrics: { distance: 0 }, reward: 1 };
    const failure = failureOf(String(found), String(right), found === -right);
    const details = { right: String(right) };
    const distance = Math.min(Math.abs(Number(found - right)) / Math.max(Math.abs(Number(right)), 1), 1e9);
    return {
      outcome: 'wrong',
      failures: [{ class: failure, message: `${found} instead of ${right}`, details }],
      metrics: { distance },
      reward: failure === 'off-by-one-digit' ? 0.1 : 0,
    };
  },

  prompt: ({ instance: problem }) => `What is ${written(problem)}? Answer with the number alone.`,

  draw({ instance: problem, answer }) {
    const question = `${written(problem)} = `;
    return answer === undefined
      ? `${question}?`
      : `${question}${JSON.stringify(answer)}   (right: ${solution(problem)})`;
  },

  async player({ checkpoint }) {
    const skills = checkpoint === undefined ? novice() : await loaded(checkpoint);
    return ({ family, instance: problem, random }) => {
      const right = solution(problem);
      const answer = solvedBy(right, chancesOf(skills, family, problem), random);
      return { answer, agentSteps: places(right) };
    };
  },

  suites: [
    {
      name: 'short',
      meaning: 'two and three digits, two and three numbers',
      seed: 20260701,
      perCell: 10,
      cells: { digits: [2, 3], terms: [2, 3] },
      settings: { negatives: 0 },
    },
    {
      name: 'long',
      meaning: 'four numbers of three and four digits',
      seed: 20260702,
      perCell: 20,
      cells: { digits: [3, 4], terms: [4] },
      settings: { negatives: 0 },
    },
  ],
});

export function drawn({
  family,
  knobs: { digits, terms },
  settings: { negatives },
  random,
}: GenerateOf<Family, 'digits' | 'terms', 'negatives'>): Problem {
  const low = 10 ** (digits - 1);
  const number = () => low + random.below(9 * low);
  const signs = operators[family];
  return {
    numbers: Array.from({ length: terms }, () => (random.fraction() < negatives ? -number() : number())),
    operators: Array.from({ length: terms - 1 }, () => signs[random.below(signs.length)] ?? '+'),
  };
}

/** Products before sums, from the left. */
export function solution({ numbers: [first = 0, ...rest], operators: signs }: Problem): bigint {
  let [total, product] = [0n, BigInt(first)];
  for (const [i, number] of rest.entries()) {
    if (signs[i] === '*') product *= BigInt(number);
    else [total, product] = [total + product, BigInt(signs[i] === '+' ? number : -number)];
  }
  return total + product;
}

function failureOf(found: string, right: string, isNegated: boolean) {
  if (isNegated) return 'wrong-sign';
  const differing = [...found].filter((digit, i) => digit !== right[i]).length;
  return found.length === right.length && differing === 1 ? 'off-by-one-digit' : 'wrong';
}

function written({ numbers, operators: signs }: Problem): string {
  return numbers
    .map((number, i) => `${i === 0 ? '' : ` ${signs[i - 1]} `}${number < 0 && i > 0 ? `(${number})` : number}`)
    .join('');
}
