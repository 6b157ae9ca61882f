// Rollouts like those of a run, about a kilobyte each when stored: the data of all benchmarks. The same number gives the same rollout, whatever
// tool records it.
import type { NewEventOf } from '../schemas/catalogue.ts';
import { streamOf } from '../schemas/streams.ts';
import { eventIds, sha256 } from '../src/ledger/identity/ids.ts';

const run = '0bench0bench';
export const stream = streamOf.evidence(run, 1, 0, 1);

/** icecore's ids are adjacent; ids of other programs are scattered over the whole index. */
export type IdKind = 'own' | 'random';

const ownId = eventIds({ run, stage: 1, kind: 20 });

function randomId(index: number): string {
  const digits = sha256(`bench ${index}`);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

const checkpoint = sha256('checkpoint');
const thinking = 'Agent 0 goes down along the left edge and waits for agent 1 to clear the corridor at (3, 4). '.repeat(
  3,
);

export function rollout(index: number, ids: IdKind = 'own'): NewEventOf<'RolloutRecorded'> {
  const size = 3 + (index % 8);
  const valid = index % 3 === 0;
  return {
    id: ids === 'own' ? ownId(index) : randomId(index),
    type: 'RolloutRecorded',
    version: 1,
    at: '2026-01-02T03:04:05.678Z',
    actor: 'producer/rollouts',
    run,
    stage: 1,
    causes: [],
    data: {
      environment: 'lake',
      task: { digest: sha256(`task ${index >> 3}`) },
      split: 'probe',
      family: String(size),
      sample: index % 8,
      trainingStep: index >> 9,
      policy: 'neural',
      checkpoint,
      completion: { text: thinking },
      answer: ['DDRRWRD', 'RRDDLDD'],
      outcome: valid ? 'valid' : 'vertex-conflict',
      success: valid,
      reward: valid ? 1.2 : 0,
      rewards: { valid: valid ? 1 : 0, optimal: valid ? 0.2 : 0 },
      metrics: { cost: size * 2, waits: index % 2, entropy: 0.731 },
      agentSteps: size * 4,
      tokens: { input: 212, output: 96 },
      seed: index,
      details: { kind: 'lake/plan', content: { arrival: [size, size + 1], blocked: 0 } },
      measured: { seconds: 0.0123 },
    },
  };
}

export function rollouts(from: number, count: number, ids: IdKind = 'own'): NewEventOf<'RolloutRecorded'>[] {
  return Array.from({ length: count }, (_, i) => rollout(from + i, ids));
}
