// The lines that a run prints on its stages and decisions.
import { expect, it } from 'vitest';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { newStage, nowhere, type Recorded, type StageHistory } from '../../producers/history/run-history.ts';
import { meaningLine, stageLine } from './watch.ts';

const configuration = { digest: 'a', whole: {}, knobs: [] };

function rejection(id: string, engineer: string, reason: 'invalid' | 'refused'): Recorded<'ProposalRejected'> {
  return {
    ...nowhere,
    id,
    data: { engineer: { name: engineer }, context: null, reason, issues: [], raw: null },
  };
}

const stage: StageHistory = {
  ...newStage(1, { ...nowhere, id: 's', data: {} }),
  rejections: [rejection('by hand', 'other', 'refused'), rejection('own', 'gpt', 'invalid')],
  adopted: {
    ...nowhere,
    id: 'a',
    data: {
      ...{ by: 'kept', proposal: null, context: null, configuration, previous: null },
      ...{ changes: [], kept: null, clamps: [], rationale: null },
    },
  },
};

it('the line of a decision ignores rejected proposals that did not cause it', () => {
  const decision = { type: 'ConfigAdopted', causes: [{ event: 'own' }] } as const;
  expect(stageLine(decision, stage, descriptor, 1)).toBe(
    '  gpt: no usable proposal (invalid); the configuration stays',
  );
});

it('the line of a decision counts clamped values', () => {
  const change = { knob: '3.data', family: '3', from: 0.125, to: 0.3, cites: null, reason: null };
  const clamp = { knob: '3.data', family: '3', proposed: 0.9, used: 0.3, rule: 'range' } as const;
  const data = { by: 'engineer', proposal: null, context: null, configuration, previous: null } as const;
  const said = { changes: [change], kept: null, clamps: [clamp], rationale: null };
  const decided = { ...stage, adopted: { ...nowhere, id: 'a', data: { ...data, ...said } } };
  const line = (one: StageHistory) => stageLine({ type: 'ConfigAdopted', causes: [] }, one, descriptor, 1);
  expect(line(decided)).toBe('  engineer: 3.data 0.125 → 0.3; 1 value clamped');
  const unchanged = { ...decided, adopted: { ...decided.adopted, data: { ...data, ...said, changes: [] } } };
  expect(line(unchanged)).toBe('  engineer: keeps the configuration; 1 value clamped');
});

it('the line of a stage shows shares in percent, and counts and costs as numbers', () => {
  const results = [
    { measure: 'valid', value: 0.48 },
    { measure: 'fault', value: 0.005 },
    { measure: 'tokens/input', value: 17_937_600 },
    { measure: 'cost/USD', value: 1.23456 },
    { measure: 'signal', value: 0.61 },
  ];
  const completed = { ...nowhere, id: 'c', data: { results } };
  expect(stageLine({ type: 'StageCompleted' }, { ...stage, completed }, descriptor, 12)).toBe(
    'stage 1: valid 48 %, fault 0.5 %, tokens/input 17,937,600, cost/USD 1.23, signal 61 %, 12.0 s',
  );
});

it('the explanation covers only the measures of the stage', () => {
  const completed = (measures: readonly string[]) => ({
    ...nowhere,
    id: 'c',
    data: { results: measures.map((measure) => ({ measure, value: 0.5 })) },
  });
  expect(meaningLine({ ...stage, completed: completed(['valid', 'cost/USD']) })).toBe(
    '  valid: share of validation tasks solved',
  );
  expect(meaningLine({ ...stage, completed: completed(['valid', 'optimal', 'signal']) })).toBe(
    '  valid: share of validation tasks solved; optimal: share solved at the lowest cost; signal: share of training tasks on which some attempts did better than others',
  );
  expect(meaningLine({ ...stage, completed: completed(['cost/USD']) })).toBe('');
});
