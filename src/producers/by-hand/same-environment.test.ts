import { describe, expect, it } from 'vitest';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { emptyHistory, nowhere, type RunHistory } from '../history/run-history.ts';
import { EnvironmentChanged, requireSameEnvironment } from './forking.ts';

const begun: RunHistory = {
  ...emptyHistory('tiny00000000'),
  started: {
    ...nowhere,
    data: { name: 'tiny', environment: { name: 'lake' }, descriptor: JSON.parse(JSON.stringify(descriptor)) },
  },
};

const [first, ...others] = descriptor.knobs;
if (first === undefined) throw new Error('the lake has knobs');

describe('an environment in the middle of a run', () => {
  it.each([
    ['it is unchanged', descriptor],
    ['its explanation differs', { ...descriptor, meaning: 'ice', drawings: 'look' }],
    ['the explanation of a knob differs', { ...descriptor, knobs: [{ ...first, meaning: 'much' }, ...others] }],
  ])('may be used if %s', (_, now) => {
    expect(() => requireSameEnvironment(begun, { descriptor: now })).not.toThrow();
  });

  it.each([
    ['a knob is missing', { ...descriptor, knobs: others }, 'knobs'],
    ['a range is wider', { ...descriptor, knobs: [{ ...first, range: { min: 0, max: 9 } }, ...others] }, 'knobs'],
    ['its name differs', { ...descriptor, environment: 'pond' }, 'environment'],
    ['the field of the failure class differs', { ...descriptor, failureClass: { field: ['status'] } }, 'failureClass'],
  ])('must not be used if %s', (_, now, changed) => {
    expect(() => requireSameEnvironment(begun, { descriptor: now })).toThrow(EnvironmentChanged);
    expect(() => requireSameEnvironment(begun, { descriptor: now })).toThrow(`since tiny started: ${changed}`);
  });

  it('is a program that was started in another folder: the error names both', () => {
    const options = { environment: ['python3', 'environment.py'] };
    const hops = { ...begun, started: { ...nowhere, data: { ...begun.started?.data, options } } } as RunHistory;
    const other = { descriptor: { ...descriptor, knobs: others } };
    expect(() => requireSameEnvironment(hops, other, '/elsewhere')).toThrow(
      expect.objectContaining({
        message: 'the environment has changed since tiny started: knobs (python3 environment.py in /elsewhere)',
        remedy:
          'If the run was started in another folder, run icecore there. Otherwise continue with the original environment, or start another run with the current one.',
      }),
    );
  });

  it('is not checked for a run that has not started', () => {
    expect(() => requireSameEnvironment(emptyHistory('tiny00000000'), { descriptor })).not.toThrow();
  });
});
