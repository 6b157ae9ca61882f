import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import { describeIssue, found } from '../../../schemas/errors.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { checkConfiguration } from './configuration.ts';
import type { Configuration } from './environment.ts';

const lake = golden('RunStarted.v1').event.data['descriptor'] as Descriptor;

const size = (data: number) => ({ data, hole: 0.2, wait: 0.25 });
const sound = { agents: 2, sizes: { '3': size(0.2), '4': size(0.3), '5': size(0.5) } };
const start: Configuration = { ...sound, solver: { nodes: 100 } };

/** The issues of a valid configuration with some members changed. */
function said(change: object, sizes: object = {}, like?: Configuration): string[] {
  const configuration = { ...sound, ...change, ...('sizes' in change ? {} : { sizes: { ...sound.sizes, ...sizes } }) };
  return checkConfiguration(lake, configuration, like).map(describeIssue);
}

describe('a configuration', () => {
  it('that is valid has no issues, and may have settings that are not knobs', () => {
    expect(said({})).toEqual([]);
    expect(said({ solver: { nodes: 5 } })).toEqual([]);
    expect(said({ solver: { nodes: 5 } }, {}, start)).toEqual([]);
  });

  it.each([[undefined], [null], ['easy'], [3], [[]]])('is an object, not %j', (value) => {
    expect(checkConfiguration(lake, value)).toEqual([
      { field: '', found: found(value), allowed: 'an object with sizes, agents' },
    ]);
  });

  it.each<[string, object, string[]]>([
    ['a number within it', size(0.3), []],
    [
      'a number above it',
      { ...size(0.3), hole: 0.41 },
      ['sizes["4"].hole: found 0.41 (a number), allowed: a number from 0 to 0.4'],
    ],
    [
      'a number below it',
      { ...size(0.3), hole: -0.01 },
      ['sizes["4"].hole: found -0.01 (a number), allowed: a number from 0 to 0.4'],
    ],
    [
      'a text',
      { ...size(0.3), hole: '0.2' },
      ['sizes["4"].hole: found "0.2" (a string), allowed: a number from 0 to 0.4'],
    ],
    ['NaN', { ...size(0.3), hole: Number.NaN }, ['sizes["4"].hole: found NaN, allowed: a number from 0 to 0.4']],
    ['nothing', { data: 0.3, wait: 0.25 }, ['sizes["4"].hole: found nothing, allowed: a number from 0 to 0.4']],
  ])('must have each knob in its range: %s', (_, four, issues) => {
    expect(said({}, { 4: four })).toEqual(issues);
  });

  it('must have integers where integers are required', () => {
    expect(said({ agents: 2.5 })).toEqual(['agents: found 2.5 (a number), allowed: a whole number from 2 to 5']);
    expect(said({ agents: 6 })).toEqual(['agents: found 6 (a number), allowed: a whole number from 2 to 5']);
  });

  it('must have shares that sum to their total, up to rounding errors', () => {
    expect(said({}, { 3: size(0.1), 4: size(0.2), 5: size(0.7) })).toEqual([]);
    expect(said({}, { 5: size(0.4) })).toEqual([
      'sizes: found shares that sum to 0.9 (3.data, 4.data, 5.data), allowed: a sum of 1',
    ]);
    expect(said({}, { 5: size(0.5 + 9e-10) })).toEqual([]);
    expect(said({}, { 5: size(0.5 + 2e-9) })).toHaveLength(1);
  });

  it('lists a missing family once', () => {
    const { 4: _, ...others } = sound.sizes;
    expect(said({ sizes: others })).toEqual(['sizes["4"]: found nothing, allowed: an object with data, hole, wait']);
    expect(said({ sizes: undefined })).toEqual(['sizes: found nothing, allowed: an object with 3, 4, 5']);
  });

  it('reports misspelt keys with similar names, before the missing ones', () => {
    const { hole, ...four } = size(0.3);
    expect(said({}, { 4: { ...four, hloe: hole } })).toEqual([
      'sizes["4"].hloe: found an unknown key, allowed: a known one, perhaps "hole"',
      'sizes["4"].hole: found nothing, allowed: a number from 0 to 0.4',
    ]);
  });

  it('must not have keys that are unknown to the knobs and the start configuration', () => {
    expect(said({}, { 11: size(0) })).toEqual([]);
    expect(said({}, { 11: size(0) }, start)).toEqual(['sizes["11"]: found an unknown key, allowed: 3, 4, 5']);
    expect(said({ solvr: {} }, {}, start)).toEqual([
      'solvr: found an unknown key, allowed: a known one, perhaps "solver"',
    ]);
  });

  it('must be valid JSON', () => {
    expect(said({ solver: { nodes: Number.POSITIVE_INFINITY } })).toEqual([
      'solver.nodes: found Infinity, allowed: a JSON value',
    ]);
    const hiding = JSON.parse('{"solver": {"__proto__": 1}}') as object;
    expect(said(hiding)).toEqual(['solver.__proto__: found the key "__proto__", allowed: any other name']);
  });

  it('can have any content without an exception', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, maxDepth: 3 }), (value) => {
        expect(checkConfiguration(lake, value)).not.toEqual([]);
        const [issue] = checkConfiguration(lake, { ...sound, sizes: { ...sound.sizes, 4: value } });
        expect(issue?.field).toMatch(/^sizes/);
      }),
    );
  });
});
