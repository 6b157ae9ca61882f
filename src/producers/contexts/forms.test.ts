import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formNamed, modules, presetNames, UnknownForm } from './forms.ts';

describe('forms', () => {
  it.each(presetNames)('%s has existing modules, each once and in order', (name) => {
    const form = formNamed(name);
    expect(form.name).toBe(name);
    expect(form.modules).toEqual(modules.filter((module) => form.modules.includes(module)));
  });

  it('each rung of the ladder has the failures, and the fifth and sixth extend the fourth', () => {
    for (const name of ['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'combined'])
      expect(formNamed(name).modules).toContain('failures');
    for (const name of ['v5', 'v6'])
      expect(formNamed(name).modules).toEqual(expect.arrayContaining([...formNamed('v4').modules]));
    expect(formNamed('v3').parameters).not.toEqual(formNamed('v4').parameters);
  });

  it('a list of modules is a form, in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...modules], { minLength: 1 }), (named) => {
        expect(formNamed(named.join(', ')).modules).toEqual(modules.filter((module) => named.includes(module)));
      }),
    );
  });

  it('an unknown form is an error with similar names', () => {
    expect(() => formNamed('v7')).toThrow(UnknownForm);
    expect(() => formNamed('objective,failure')).toThrow('"failure"');
    expect(() => formNamed('')).toThrow(UnknownForm);
  });
});
