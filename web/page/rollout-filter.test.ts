// The filter of rollouts, and the number of each kind.
import { describe, expect, it } from 'vitest';
import {
  benchmarkOf,
  choicesOf,
  filterIn,
  filterWords,
  type Kind,
  kindsQuery,
  neighboursQuery,
  pagePath,
  totalsOf,
  whereOf,
} from './rollout-filter.ts';

const none = filterIn(new URLSearchParams());

const kinds: readonly Kind[] = [
  { split: 'probe', benchmark: null, family: '3', outcome: 'valid', failure_class: null, success: 'true', count: 5 },
  { split: 'probe', benchmark: null, family: '3', outcome: 'hole', failure_class: 'hole', success: 'false', count: 2 },
  { split: 'probe', benchmark: null, family: '10', outcome: 'hole', failure_class: 'hole', success: 'false', count: 9 },
  { split: 'train', benchmark: null, family: '10', outcome: 'spoilt', failure_class: null, success: null, count: 1 },
];

describe('the filter of rollouts', () => {
  it('uses the same names in addresses and requests', () => {
    const filter = filterIn(new URLSearchParams('family=8&success=false&other=1&split='));
    expect(filter).toEqual({ ...none, family: '8', success: 'false' });
    expect(pagePath('mine@2', filter, { limit: 24 })).toBe('/runs/mine@2/rollouts?family=8&success=false&limit=24');
    expect(filterWords(filter)).toBe('family 8, not solved');
    expect(filterWords(none)).toBe('');
  });

  it('selects the rollouts of one benchmark', () => {
    const filter = filterIn(new URLSearchParams('split=test&benchmark=agents-2-wait-25'));
    expect(pagePath('mine@2', filter, {})).toBe('/runs/mine@2/rollouts?split=test&part=agents_2_wait_25');
    expect(filterWords(filter)).toBe('test, benchmark agents-2-wait-25');
    expect(benchmarkOf('agents-2-wait-25')).toBe('agents-2-wait-25');
    expect(benchmarkOf('GSM8K (hard)')).toBeNull();
  });

  it('quotes the names of runs and families in queries', () => {
    expect(whereOf("r'1", null, { ...none, family: "x' OR true --" })).toBe(
      "run_id = 'r''1' AND family = 'x'' OR true --'",
    );
    expect(neighboursQuery('r', 2, { ...none, success: 'true' }, 'e')).toContain('stage = 2 AND success ');
    expect(kindsQuery('r', null)).toContain("WHERE run_id = 'r' GROUP BY ALL");
  });
});

describe('the choices of a filter', () => {
  it('are the recorded values, with counts under the other filters', () => {
    expect(choicesOf('family', kinds, none)).toEqual([
      { value: '3', count: 7 },
      { value: '10', count: 10 },
    ]);
    expect(choicesOf('outcome', kinds, { ...none, family: '10' })).toEqual([
      { value: 'hole', count: 9 },
      { value: 'spoilt', count: 1 },
      { value: 'valid', count: 0 },
    ]);
    expect(choicesOf('family', kinds, { ...none, family: '3', success: 'false' })).toEqual([
      { value: '3', count: 2 },
      { value: '10', count: 9 },
    ]);
  });

  it('have totals of all, solved and judged rollouts', () => {
    expect(totalsOf(kinds, none)).toEqual({ all: 17, solved: 5, judged: 16 });
    expect(totalsOf(kinds, { ...none, family: '10' })).toEqual({ all: 10, solved: 0, judged: 9 });
  });
});
