import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decisionOn } from './decision.ts';
import { readProposal, type Standard, type Unusable, type Usable, withoutInvented } from './proposal-reading.ts';
import { coins, coinsNow } from './testing/questions.ts';

const evidenceIds = new Set(['F1', 'F2', 'Blarge.valid']);
const standard: Standard = { descriptor: coins, current: coinsNow, evidenceIds, check: () => [] };

const wanted = { piles: { small: { share: 0.5 }, large: { share: 0.5 } }, kinds: 4, table: 'green' };
const usual = { configuration: wanted, reasons: [{ knob: 'large.share', cites: ['F1'], reason: 'more of them' }] };

const read = (written: unknown, more: Partial<Standard> = {}): Usable | Unusable =>
  readProposal(typeof written === 'string' ? written : JSON.stringify(written), { ...standard, ...more });

function usable(written: unknown, more: Partial<Standard> = {}): Usable {
  const made = read(written, more);
  return 'reason' in made ? expect.fail(JSON.stringify(made)) : made;
}

function faults(written: unknown, more: Partial<Standard> = {}): string[] {
  const made = read(written, more);
  if (!('reason' in made)) return ['none'];
  return [made.reason, ...made.issues.map(({ field, found, allowed }) => `${field}: ${found} | ${allowed}`)];
}

describe('a written proposal', () => {
  it('is parsed with all its parts', () => {
    const written = {
      ...usual,
      kept: [{ knob: 'kinds', cites: [], reason: 'enough' }],
      predictions: [{ family: 'large', value: 0.3 }],
      rationale: 'harder now',
    };
    expect(usable(written)).toEqual({
      content: { ...written, predictions: [{ family: 'large', measure: 'valid', value: 0.3 }] },
      invented: [],
      moved: [],
    });
  });

  it('may omit everything but the configuration, and omitted parts are recorded as missing', () => {
    const nothing = { reasons: [], kept: null, predictions: null, rationale: null };
    expect(usable({ configuration: wanted }).content).toEqual({ configuration: wanted, ...nothing });
    const nulls = { configuration: wanted, reasons: null, kept: null, predictions: null, rationale: '  ' };
    expect(usable(nulls).content).toEqual({ configuration: wanted, ...nothing });
    const { reasons } = usable({ configuration: wanted, reasons: [{ knob: 'kinds' }] }).content;
    expect(reasons).toEqual([{ knob: 'kinds', cites: null, reason: null }]);
  });

  it('is found in code fences and prose; the last one counts', () => {
    const json = JSON.stringify(usual);
    const early = JSON.stringify({ configuration: { kinds: 'none' } });
    for (const text of [
      `\`\`\`json\n${JSON.stringify(usual, null, 2)}\n\`\`\``,
      `I see {F1} and [F2], so:\n${json}\nThat is all {really}.`,
      `First I thought of ${early}, but then: ${json} (see {"F1": true})`,
    ])
      expect(usable(text).content.configuration).toEqual(wanted);
  });

  it('is rejected with distinct reasons: empty, unreadable, invalid', () => {
    expect(faults(' \n')).toEqual(['empty', expect.stringContaining('nothing')]);
    expect(faults('I would rather not.')).toEqual(['unreadable', expect.stringContaining('without a JSON object')]);
    expect(faults('[1, 2]')[0]).toBe('unreadable');
    expect(faults('{"configuration": {"kinds": 4, "piles": {"small": {"share": 1}')[0]).toBe('unreadable');
    expect(faults('{"configuration": {"kinds": NaN}, "rationale": null}')[1]).toContain('NaN');
    expect(faults('{"configuration": {"kinds": 4,}, "reasons": [{"knob": "kinds"}]}')[1]).toContain('broken');
    expect(faults('x'.repeat(2 ** 20 + 1))[1]).toContain('more than 1048576 characters');
    expect(faults({ kinds: 4 })).toEqual([
      'invalid',
      expect.stringMatching(/^kinds: an unknown key/),
      expect.stringMatching(/^configuration: nothing/),
    ]);
  });

  it.each([
    [
      'a text for a number',
      { ...wanted, kinds: '4' },
      /^configuration\.kinds: "4" \(a string\) \| a whole number from 1 to 9/,
    ],
    ['a missing knob', { ...wanted, piles: { small: { share: 1 } } }, /^configuration\.piles\.large: nothing \|/],
    ['an unknown knob', { ...wanted, kind: 4 }, /^configuration\.kind: an unknown key \| .*"kinds"/],
    ['null', { ...wanted, piles: null }, /^configuration\.piles: null/],
    [
      'a setting that is not a knob',
      { ...wanted, table: 'red' },
      /^configuration\.table: "red" \(a string\) \| "green"/,
    ],
  ])('names %s', (_, configuration, expected) => {
    expect(faults({ ...usual, configuration })).toEqual(['invalid', expect.stringMatching(expected)]);
  });

  it.each([
    [
      'a reason for an unknown knob',
      { reasons: [{ knob: 'large.shares' }] },
      /^reasons\[0\]\.knob: .* perhaps "large.share"/,
    ],
    ['a misspelt key', { reason: [] }, /^reason: an unknown key \| a known one, perhaps "reasons"/],
    ['an evidence id that is not a text', { reasons: [{ knob: 'kinds', cites: [1] }] }, /^reasons\[0\]\.cites\[0\]: 1/],
    [
      'an unknown family',
      { predictions: [{ family: 'larg', value: 0 }] },
      /^predictions\[0\]\.family: .* perhaps "large"/,
    ],
    [
      'a rate above one',
      { predictions: [{ family: 'large', value: 40 }] },
      /^predictions\[0\]\.value: 40 .*from 0 to 1/,
    ],
    [
      'a repeated family',
      { predictions: [0.1, 0.2].map((value) => ({ family: 'large', value })) },
      /^predictions\[1\]: "valid of large" again/,
    ],
  ])('names %s', (_, change, expected) => {
    expect(faults({ ...usual, ...change })).toEqual(['invalid', expect.stringMatching(expected)]);
  });

  it('lists all issues, including minor ones', () => {
    const reasons = [{ knob: 'kinds', cites: ['F9'] }];
    const configuration = { ...wanted, kinds: 40, table: 'red' };
    expect(faults({ configuration, reasons, predictions: [{ family: 'huge', value: 0 }] }).slice(1)).toEqual([
      expect.stringMatching(/^configuration\.table/),
      expect.stringMatching(/^predictions\[0\]\.family/),
      expect.stringMatching(/^configuration\.kinds/),
      expect.stringMatching(/^reasons\[0\]\.cites\[0\]: "F9"/),
    ]);
  });

  it('that can be clamped is usable, and lists the clamps', () => {
    const { moved } = usable({
      configuration: { ...wanted, kinds: 12, piles: { small: { share: 0.9 }, large: { share: 0.9 } } },
    });
    expect(moved.map(({ field, found }) => `${field}: ${found}`)).toEqual([
      'configuration.kinds: 12 (a number)',
      'configuration.piles: shares that sum to 1.8 (small.share, large.share)',
    ]);
  });

  it('that the environment refuses is impossible', () => {
    const check = () => [{ field: 'kinds', found: 'four kinds', allowed: 'fewer kinds than coins' }];
    expect(faults(usual, { check })).toEqual([
      'impossible',
      'configuration.kinds: four kinds | fewer kinds than coins',
    ]);
  });

  it('that cites unknown evidence is usable without it, and lists the unknown ids', () => {
    const reasons = [
      { knob: 'large.share', cites: ['F1', 'F99', 'F1', 'blarge.valid'], reason: 'more' },
      { knob: 'kinds', cites: ['F 2'], reason: null },
      { knob: 'small.share', cites: ['F2'], reason: null },
    ];
    const { content, invented } = usable({ configuration: wanted, reasons, kept: [{ knob: 'kinds', cites: ['x'] }] });
    expect(invented.map(({ field, found, allowed }) => `${field}: ${found} | ${allowed}`)).toEqual([
      'reasons[0].cites[1]: "F99" | an evidence id of what was shown',
      'reasons[0].cites[3]: "blarge.valid" | an evidence id of what was shown, perhaps "Blarge.valid"',
      'reasons[1].cites[0]: "F 2" | an evidence id of what was shown, perhaps "F2"',
      'kept[0].cites[0]: "x" | an evidence id of what was shown',
    ]);
    expect(withoutInvented(content, evidenceIds)).toMatchObject({
      reasons: [
        { cites: ['F1'], reason: 'more [names "F99", "blarge.valid", of which nothing was shown]' },
        { cites: [], reason: '[names "F 2", of which nothing was shown]' },
        { cites: ['F2'], reason: null },
      ],
      kept: [{ knob: 'kinds', cites: [], reason: '[names "x", of which nothing was shown]' }],
    });
  });
});

describe('any text', () => {
  /** A parsed proposal can be decided on and recorded; otherwise there is a reason. */
  const holds = (text: string): void => {
    const made = readProposal(text, standard);
    if ('reason' in made) {
      expect(made.issues.length).toBeGreaterThan(0);
      return;
    }
    const content = withoutInvented(made.content, evidenceIds);
    expect(decisionOn(coins, coinsNow, content, () => [])).toHaveProperty('decision');
    for (const { cites } of [...content.reasons, ...(content.kept ?? [])])
      for (const evidenceId of cites ?? []) expect(evidenceIds.has(evidenceId)).toBe(true);
  };

  it('can be read without an exception', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((one) => `{"configuration": ${one}}`),
        ),
        holds,
      ),
    );
  });

  it('can be read without an exception if it is almost a proposal', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(0, 0.5, -0, 1e308, 4, 'F1', 'large.share', 'large', '\ud800', [], ['F1', 'nothing'], {}),
    );
    const reason = fc.record(
      { knob: fc.oneof(fc.constant('kinds'), odd), cites: odd, reason: odd },
      { requiredKeys: [] },
    );
    const list = fc.oneof(odd, fc.array(reason));
    const configuration = fc.oneof(
      odd,
      fc.record({
        kinds: odd,
        table: fc.oneof(fc.constant('green'), odd),
        piles: fc.record({ small: odd, large: fc.record({ share: odd }) }),
      }),
      fc
        .record({ kinds: fc.double(), share: fc.double() })
        .map(({ kinds, share }) => ({ ...wanted, kinds, piles: { small: { share }, large: { share: 1 } } })),
    );
    const predictions = fc.oneof(odd, fc.array(fc.record({ family: fc.oneof(fc.constant('small'), odd), value: odd })));
    const written = fc.record(
      { configuration, reasons: list, kept: list, predictions, rationale: odd },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(written, (one) => holds(JSON.stringify(one))),
      { numRuns: 300 },
    );
  });

  it('can be read without an exception if it is deep, long or hostile', () => {
    const deep = '['.repeat(50_000);
    const hidden = '{"__proto__": {"kinds": 4}, "constructor": 1}';
    for (const text of [
      deep,
      '{"configuration":'.repeat(20_000),
      `{"configuration": {"kinds": ${deep}${']'.repeat(50_000)}}}`,
      `{"configuration": {"kinds": 4, "table": ${deep}${']'.repeat(50_000)}, "piles": {"small": {"share": 1}, "large": {"share": 0}}}}`,
      `{"configuration": ${hidden}, "reasons": [${hidden}]}`,
      `{"configuration": ${JSON.stringify({ ...wanted }).replace('{', '{"__proto__": {}, ')}}`,
      JSON.stringify({ ...usual, ['k'.repeat(200_000)]: 1 }),
      JSON.stringify({ ...usual, reasons: [{ knob: 'k'.repeat(200_000) }] }),
      JSON.stringify({ ...usual, reasons: [{ knob: 'kinds', cites: Array(50_000).fill('F0') }] }),
    ])
      holds(text);
    expect(Object.prototype).not.toHaveProperty('kinds');
  });
});
