import { beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { type Ask, History, tablesOf } from '../testing/history.ts';

let ask: Ask;
const ids = { first: '', last: '', rollout: '', failure: '' };

const summary: EventData['SummaryRecorded'] = {
  module: 'failures',
  parameters: { exemplars: 1 },
  splits: ['probe'],
  rollouts: 10,
  facts: [
    {
      evidenceId: 'F8.hole',
      family: '8',
      measure: 'failures',
      about: 'hole',
      value: 0.4,
      count: 4,
      of: 10,
      low: 0.2,
      high: 0.7,
    },
    { evidenceId: 'F.cost', family: null, measure: 'cost', value: { value: null, reason: 'no arrival' } },
  ],
  exemplars: [],
  text: { text: 'They fall.' },
};

const context: EventData['ContextRecorded'] = {
  contextForm: { name: 'combined', modules: ['failures', 'stats'] },
  digest: 'c'.repeat(64),
  text: { text: 'See how they fall.' },
  history: [{ stream: 'run-run000000000', revision: 3 }],
  evidenceIds: {},
  modules: [
    { module: 'failures', tokens: 40 },
    { module: 'stats', tokens: 2 },
  ],
  tokenizer: 'words',
  tokens: 42,
  budget: 100,
  truncated: [{ module: 'failures', what: 'exemplars', kept: 1, dropped: 3 }],
  without: ['F2'],
};

beforeAll(async () => {
  const run = new History('run000000000');
  run.add('RunStarted', null, { name: 'first', environment: { name: 'maze' } });
  const evidence = { stream: 'evidence-run000000000-1-0-0' };
  ids.rollout = run.add(
    'RolloutRecorded',
    1,
    { environment: 'maze', split: 'probe', policy: 'p', outcome: 'hole' },
    evidence,
  );
  const failed = { rollout: ids.rollout, environment: 'maze', split: 'probe', failures: [{ class: 'hole' }] } as const;
  ids.failure = run.add('FailureRecorded', 1, { ...failed, failures: [...failed.failures] }, evidence);
  ids.first = run.add('SummaryRecorded', 2, { ...summary, text: { blob: 'b'.repeat(64), bytes: 9 } });
  const exemplar = {
    evidenceId: 'F1',
    rollout: ids.rollout,
    failure: ids.failure,
    family: '8',
    class: 'hole',
    drawing: '#',
  };
  ids.last = run.add('SummaryRecorded', 2, { ...summary, exemplars: [exemplar] });
  const evidenceIds = {
    F1: { module: 'failures', events: [ids.rollout, ids.failure], family: '8' },
    'F.cost': { module: 'failures', events: [ids.last], family: null },
  };
  run.add('ContextRecorded', 2, { ...context, evidenceIds });
  run.add(
    'ContextRecorded',
    2,
    { ...context, evidenceIds: {}, contextForm: { modules: [] } },
    { stream: 'ablation-a00000000000' },
  );
  run.add('SummaryRecorded', 2, { ...summary, facts: [] }, { stream: 'ablation-a00000000000' });
  ask = await tablesOf([run]);
});

describe('summaries', () => {
  it('count if they are the last of their stage and module; a text in a blob is missing', async () => {
    expect(
      await ask(
        'SELECT id::VARCHAR AS id, counts, rollouts, facts, exemplars, text, ablation FROM summaries ORDER BY happened_at',
      ),
    ).toEqual([
      { id: ids.first, counts: false, rollouts: 10, facts: 2, exemplars: 0, text: null, ablation: null },
      { id: ids.last, counts: true, rollouts: 10, facts: 2, exemplars: 1, text: 'They fall.', ablation: null },
      expect.objectContaining({ counts: null, ablation: 'a00000000000', facts: 0 }),
    ]);
  });

  it('have their figures in table facts', async () => {
    expect(
      await ask(
        `SELECT stage, evidence_through, evidence_id, family, measure, about, value, value_reason, count, out_of, low, high, summary::VARCHAR AS id
         FROM facts WHERE counts ORDER BY evidence_id DESC`,
      ),
    ).toEqual([
      {
        stage: 2,
        evidence_through: 1,
        evidence_id: 'F8.hole',
        family: '8',
        measure: 'failures',
        about: 'hole',
        value: 0.4,
        value_reason: null,
        count: 4,
        out_of: 10,
        low: 0.2,
        high: 0.7,
        id: ids.last,
      },
      expect.objectContaining({ evidence_id: 'F.cost', family: null, value: null, value_reason: 'no arrival' }),
    ]);
  });

  it('have their exemplars in table exemplars', async () => {
    expect(
      await ask(
        `SELECT e.evidence_id, e.failure_class, e.drawing, r.outcome, f.failure_class AS class FROM exemplars AS e
         JOIN rollouts AS r ON r.id = e.rollout JOIN failures AS f ON f.id = e.failure`,
      ),
    ).toEqual([{ evidence_id: 'F1', failure_class: 'hole', drawing: '#', outcome: 'hole', class: 'hole' }]);
  });
});

describe('contexts', () => {
  it('have their length by module, and what was truncated', async () => {
    expect(
      await ask(
        `SELECT run, stage, evidence_through, context_form, tokens, module_tokens['stats'] AS stats, budget, truncated[1].dropped AS dropped,
           without[1] AS without, evidence_ids, text, ablation FROM contexts ORDER BY happened_at`,
      ),
    ).toEqual([
      {
        run: 'first',
        stage: 2,
        evidence_through: 1,
        context_form: 'combined',
        tokens: 42,
        stats: 2,
        budget: 100,
        dropped: 3,
        without: 'F2',
        evidence_ids: 2,
        text: 'See how they fall.',
        ablation: null,
      },
      expect.objectContaining({ context_form: null, evidence_ids: 0, ablation: 'a00000000000' }),
    ]);
  });

  it('have their citable evidence in table context_evidence', async () => {
    expect(
      await ask(
        `SELECT evidence_id, module, family, len(events) AS events, list_contains(events, '${ids.rollout}'::UUID) AS shown
         FROM context_evidence JOIN contexts ON contexts.id = context_evidence.context ORDER BY evidence_id`,
      ),
    ).toEqual([
      { evidence_id: 'F.cost', module: 'failures', family: null, events: 1, shown: false },
      { evidence_id: 'F1', module: 'failures', family: '8', events: 2, shown: true },
    ]);
  });
});
