import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spokenPlan } from './spoken-plan.ts';

const plan = ['RRD', 'DWL'];

describe('a plan within a text', () => {
  it.each<[string, string]>([
    ['JSON', '{"plan": ["RRD", "DWL"]}'],
    ['JSON in a fence', 'Here it is:\n```json\n{"plan": ["RRD", "DWL"]}\n```\nGood luck!'],
    ['JSON over lines', '{\n  "plan": [\n    "RRD",\n    "DWL"\n  ]\n}'],
    ['JSON with more in it', '{"reasoning": ["a first", "then b"], "plan": ["RRD", "DWL"], "cost": 5}'],
    ['JSON within JSON', '{"answer": {"plan": ["RRD", "DWL"]}}'],
    ['JSON within a list', '[{"plan": ["RRD", "DWL"]}]'],
    ['JSON by agent', '{"plan": {"a": "RRD", "b": "DWL"}}'],
    ['JSON by agent in any order', '{"Agent B": "DWL", "Agent A": "RRD"}'],
    ['a bare list', 'So: ["RRD", "DWL"].'],
    ['the last of several', '{"plan": ["U", "U"]} fails, so {"plan": ["RRD", "DWL"]} it is.'],
    ['JSON rather than a list', '{"plan": ["RRD", "DWL"]} uses ["R", "D", "W", "L"]'],
    ['brackets in prose', 'From [0, 0] (see [the map) {as drawn}: {"plan": ["RRD", "DWL"]}'],
    ['quotes in prose', 'The 4" lake: {"plan": ["RRD", "DWL"]}'],
    ['lines', 'a: RRD\nb: DWL'],
    ['decorated lines', 'The plan:\n- **Agent a:** `RRD`\n- **Agent b:** `DWL`.\nDone.'],
    ['the last of several sets of lines', 'a: U\nb: U\nNo. Better:\nagent a = RRD\nagent b = DWL'],
    ['a list rather than lines', 'a: U\nb: U\n["RRD", "DWL"]'],
  ])('is found in %s', (_, text) => {
    expect(spokenPlan(text)).toEqual(plan);
  });

  it('may have lines without moves, and keeps the case of letters', () => {
    expect(spokenPlan('a: rrd\nb:')).toEqual(['rrd', '']);
  });

  it('is the last one, without lines of earlier plans', () => {
    expect(spokenPlan('a: U\nb: U\nNo, that fails:\na: RRD')).toEqual(['RRD']);
  });

  it('may consist of paths of cells', () => {
    const paths = [
      [
        [0, 0],
        [0, 1],
      ],
      [[2, 2]],
    ];
    expect(spokenPlan(`The paths: ${JSON.stringify(paths)}`)).toEqual(paths);
  });

  it('may have any content, valid or not', () => {
    expect(spokenPlan('{"plan": ["RRX", 7]}')).toEqual(['RRX', 7]);
    expect(spokenPlan('{"plan": "RRD"}')).toBe('RRD');
    expect(spokenPlan('a: right')).toEqual(['right']);
  });

  it.each([
    'The agents should go to their goals.',
    '',
    'a: R, R, D\nb: D, W, L',
    'a: right right down\nb: down',
    'b: DWL',
    'a: RRD\nc: DWL',
    'Agent 1: RRD\nAgent 2: DWL',
    'a1: RRD',
    '{"b": "RRD"}',
    '[0, 1] then [1, 1]',
    '[[0, 1], [1, 1]]',
    '{"plan": ["RRD", "DW',
    "{'plan': ['RRD', 'DWL']}",
  ])('is not guessed: %j is unchanged', (text) => {
    expect(spokenPlan(text)).toBe(text);
  });

  it('is not searched in values other than texts', () => {
    for (const answer of [plan, null, 7, undefined, { plan }]) expect(spokenPlan(answer)).toBe(answer);
  });

  it('is found in JSON between any prose', () => {
    const moves = fc.array(fc.string({ unit: fc.constantFrom(...'UDLRW'), maxLength: 9 }), {
      minLength: 1,
      maxLength: 5,
    });
    const prose = fc.string({ unit: fc.constantFrom(...'abc []{}":,.\n`(é') });
    fc.assert(
      fc.property(moves, prose, prose, (moves, before, after) => {
        const safe = after.replaceAll('"', '');
        expect(spokenPlan(`${before}\n${JSON.stringify({ plan: moves })}\n${safe}`)).toEqual(moves);
      }),
    );
  });

  it('contains only parts of the text', () => {
    const words = fc.constantFrom(
      'a',
      'b',
      ':',
      'RRD',
      'dwl',
      '"',
      '[',
      ']',
      '{',
      '}',
      'plan',
      ',',
      '\n',
      ' ',
      '-',
      'agent',
    );
    fc.assert(
      fc.property(fc.array(words), (parts) => {
        const text = parts.join('');
        const found = spokenPlan(text);
        if (found === text) return;
        for (const moves of Object.values(found as object))
          if (typeof moves === 'string') expect(text).toContain(moves);
      }),
    );
  });

  it('is searched for quickly in any text', () => {
    for (const text of [
      '['.repeat(300_000),
      '{"a":'.repeat(100_000),
      `a${':'.repeat(300_000)}1`,
      '-*'.repeat(300_000),
    ]) {
      expect(spokenPlan(text)).toBe(text);
    }
    const deep = `${'{"a":'.repeat(50_000)}"R"${'}'.repeat(50_000)}`;
    expect(spokenPlan(deep)).toEqual([expect.anything()]);
  });
});
