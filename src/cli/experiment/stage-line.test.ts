// The line on a decision tells of what the decision rests on.
import { expect, it } from 'vitest';
import { descriptor } from '../../lab/lake/descriptor.ts';
import type { Recorded, StageHistory } from '../../producers/run/history.ts';
import { stageLine } from './stage-line.ts';

const at = { revision: 0, digest: '' };
const configuration = { digest: 'a', whole: {}, knobs: [] };

function rejection(id: string, engineer: string, reason: 'invalid' | 'timeout'): Recorded<'ProposalRejected'> {
  return {
    ...at,
    id,
    data: { forStage: 2, engineer: { name: engineer }, context: null, reason, issues: [], raw: null },
  };
}

const stage: StageHistory = {
  stage: 1,
  started: { ...at, id: 's', data: {} },
  training: null,
  evaluations: [],
  sealed: null,
  summaries: [],
  completed: null,
  contexts: [],
  proposals: [],
  rejections: [rejection('by hand', 'other', 'timeout'), rejection('own', 'gpt', 'invalid')],
  adopted: {
    ...at,
    id: 'a',
    data: {
      ...{ forStage: 2, by: 'carried-over', proposal: null, context: null, configuration, previous: null },
      ...{ changes: [], kept: null, clamps: [], says: null },
    },
  },
};

it('and not of an answer that somebody asked for by hand before it', () => {
  const decision = { type: 'ConfigAdopted', causes: [{ event: 'own' }] } as const;
  expect(stageLine(decision, stage, descriptor, 1)).toBe(
    '  gpt: no usable proposal (invalid); the configuration stays',
  );
});
