// Requests to engineers in tests: about coins in two piles, or about lakes.
import type { Descriptor } from '../../../../schemas/environment.ts';
import { descriptor as lakeDescriptor, startConfiguration } from '../../../../testbed/lake/configuration.ts';
import type { Configuration } from '../../environments/environment.ts';
import type { Fact, ProposalRequest, ShownContext } from '../engineer.ts';

/** The modules of an engineer that can use all of them. */
export const everyModule: readonly string[] = [
  'objective',
  'guideline',
  'training',
  'stats',
  'behaviour',
  'failures',
  'history',
  'self-summary',
];

/** Two shares, an integer, and a setting that is not a knob. */
export const coins: Descriptor = {
  environment: 'coins',
  meaning: 'piles of coins\nthat are to be sorted',
  knobs: [
    {
      name: 'small.share',
      path: ['piles', 'small', 'share'],
      meaning: 'the share of the tasks with small piles',
      family: 'small',
      range: { min: 0, max: 1 },
      step: 0.1,
    },
    {
      name: 'large.share',
      path: ['piles', 'large', 'share'],
      meaning: 'the share of the tasks with large piles',
      family: 'large',
      range: { min: 0, max: 1 },
      step: 0.1,
    },
    {
      name: 'kinds',
      path: ['kinds'],
      meaning: 'how many kinds of coins there are',
      family: null,
      range: { min: 1, max: 9 },
      step: 1,
      integer: true,
    },
  ],
  sharesSum: [{ knobs: ['small.share', 'large.share'], total: 1 }],
  families: [{ family: 'small', meaning: 'piles of up to ten' }, { family: 'large' }],
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['outcome'] },
  family: { field: ['family'] },
};

export const coinsNow: Configuration = {
  piles: { small: { share: 2 / 3 }, large: { share: 1 / 3 } },
  kinds: 4,
  table: 'green',
};

export const lakeNow: Configuration = { ...startConfiguration };

/** A context with a module of rates. */
export function contextWith(text: string, rates: Readonly<Record<string, number>> = {}): ShownContext {
  const facts = Object.entries(rates).map(
    ([family, value]): Fact => ({ evidenceId: `B${family}.valid`, family, measure: 'valid', value }),
  );
  return {
    digest: '0'.repeat(64),
    text,
    form: { modules: ['behaviour'] },
    modules: [{ module: 'behaviour', facts, exemplars: [] }],
    evidenceIds: new Set(facts.map(({ evidenceId }) => evidenceId)),
  };
}

export function askedOf(change: Partial<ProposalRequest> = {}): ProposalRequest {
  return {
    descriptor: coins,
    stage: 1,
    stages: 3,
    current: coinsNow,
    first: coinsNow,
    context: contextWith('Bsmall.valid: 0.9\nBlarge.valid: 0.2', { small: 0.9, large: 0.2 }),
    checkpoint: null,
    sample: 0,
    seed: 'one',
    ...change,
  };
}

export function askedOfLakes(change: Partial<ProposalRequest> = {}): ProposalRequest {
  return askedOf({ descriptor: lakeDescriptor, current: lakeNow, first: lakeNow, context: null, ...change });
}
