// The address of a view restores it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hrefOf, parseRoute, viewNames } from './router.ts';

describe('the address of a view', () => {
  it('is the list of runs if it is empty', () => {
    expect(parseRoute('')).toMatchObject({ view: 'runs', of: '' });
    expect(parseRoute('#/')).toMatchObject({ view: 'runs', of: '' });
    expect(hrefOf('runs')).toBe('#/');
  });

  it('names the run and stage as a command does', () => {
    expect(hrefOf('why', 'mine@3', { knob: '8.hole' })).toBe('#/why/mine@3?knob=8.hole');
    expect(parseRoute('#/why/mine@3?knob=8.hole')).toMatchObject({ view: 'why', of: 'mine@3' });
  });

  it('keeps the slashes of a name', () => {
    const name = 'http://127.0.0.1/</script>/';
    expect(parseRoute(hrefOf('run', name))).toMatchObject({ view: 'run', of: name });
  });

  it('omits parameters without a value', () => {
    expect(hrefOf('runs', '', { tag: '', sort: null, q: undefined })).toBe('#/');
  });

  it('has no view if the name is unknown, and keeps invalid escapes', () => {
    expect(parseRoute('#/nowhere').view).toBeNull();
    expect(parseRoute('#/why/%E0%A4%A').of).toBe('%E0%A4%A');
  });

  it('preserves every name and query', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((text) => !/^\/|\/$|\/\/|^\.+$/.test(text));
    const query = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ unit: 'grapheme', minLength: 1 }));
    fc.assert(
      fc.property(fc.constantFrom(...viewNames), name, query, (view, of, given) => {
        const route = parseRoute(hrefOf(view, of, given));
        expect(route.view).toBe(view);
        expect(route.of).toBe(of);
        expect(Object.fromEntries(route.query)).toEqual({ ...given });
      }),
    );
  });
});
