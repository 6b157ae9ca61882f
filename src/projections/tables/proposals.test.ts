import { beforeAll, describe, expect, it } from 'vitest';
import { decidedTables } from '../testing/decided.ts';
import type { Ask } from '../testing/history.ts';

let ask: Ask;

beforeAll(async () => {
  ask = await decidedTables();
});

describe('proposals', () => {
  it('have their outcome, their scores and their cost', async () => {
    const columns =
      'outcome, reason, adopted, engineer, arm, changes, cites, citation, preservation, usable, brier, input_tokens, cost';
    expect(await ask(`SELECT ${columns} FROM proposals WHERE stage = 2 ORDER BY arm, outcome, cost`)).toEqual([
      arm({ outcome: 'accepted', reason: null, changes: 0, cites: [], citation: 1, usable: 1 }),
      arm({ outcome: 'rejected', reason: 'empty', changes: null, cites: null, citation: null, usable: null }),
      {
        outcome: 'accepted',
        reason: null,
        adopted: true,
        engineer: 'gpt',
        arm: null,
        changes: 5,
        cites: ['F.all', 'F.big', 'F.none'],
        citation: 0.75,
        preservation: null,
        usable: 0,
        brier: 0.25,
        input_tokens: 120,
        cost: 1,
      },
      {
        outcome: 'rejected',
        reason: 'invalid',
        adopted: false,
        engineer: 'gpt',
        arm: null,
        changes: null,
        cites: null,
        citation: null,
        preservation: null,
        usable: null,
        brier: null,
        input_tokens: 100,
        cost: 0.5,
      },
    ]);
  });

  it('name the calls of the model they took, which belong to no run because all who ask the same share them', async () => {
    expect(await ask("SELECT answers, calls FROM proposals WHERE run = 'deciding' AND cost = 1")).toEqual([
      { answers: 1, calls: ['d'.repeat(64)] },
    ]);
  });
});

function arm(more: object) {
  return {
    adopted: false,
    engineer: 'rules',
    arm: 'rules/stats',
    preservation: null,
    brier: null,
    input_tokens: null,
    cost: null,
    ...more,
  };
}

describe('predictions', () => {
  it('are compared with the probe-holdout results and with the next validation', async () => {
    const columns = 'engineer, family, predicted, measured, measured_split, within, next, adopted';
    expect(await ask(`SELECT ${columns} FROM predictions ORDER BY engineer, family`)).toEqual([
      {
        engineer: 'gpt',
        family: 'big',
        predicted: 0.9,
        measured: 0.2,
        measured_split: 'probe-holdout',
        within: false,
        next: 0.3,
        adopted: true,
      },
      {
        engineer: 'gpt',
        family: 'huge',
        predicted: 0.1,
        measured: null,
        measured_split: null,
        within: null,
        next: null,
        adopted: true,
      },
      {
        engineer: 'gpt',
        family: 'small',
        predicted: 0.45,
        measured: 0.4,
        measured_split: 'probe-holdout',
        within: true,
        next: 0.6,
        adopted: true,
      },
      {
        engineer: 'rules',
        family: 'big',
        predicted: 0.3,
        measured: 0.2,
        measured_split: 'probe-holdout',
        within: false,
        next: null,
        adopted: false,
      },
    ]);
  });
});
