// The run and stage of a view, in addresses, paths, commands and SQL.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeIn, placeText, runPath, shellWord, sqlText } from './place.ts';

describe('the place of a view', () => {
  it('is a run, one of its stages, or its next decision', () => {
    expect(placeIn('mine')).toEqual({ run: 'mine', stage: null });
    expect(placeIn('mine@3')).toEqual({ run: 'mine', stage: 3 });
    expect(placeIn('mine@next')).toEqual({ run: 'mine', stage: 'next' });
  });

  it('keeps names that contain @', () => {
    expect(placeIn('me@lab')).toEqual({ run: 'me@lab', stage: null });
    expect(placeIn('me@lab@2')).toEqual({ run: 'me@lab', stage: 2 });
    expect(placeIn('@3')).toEqual({ run: '@3', stage: null });
  });

  it('is the same after writing and parsing it', () => {
    const stages = fc.oneof(fc.integer({ min: 1, max: 16_383 }), fc.constant('next' as const));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), stages, (run, stage) => {
        fc.pre(!run.includes('\n'));
        expect(placeIn(placeText(run, stage))).toEqual({ run, stage });
      }),
    );
  });
});

describe('untrusted names', () => {
  it('are escaped in the path of a run', () => {
    expect(runPath('mine@3', '/why?detail=4')).toBe('/runs/mine@3/why?detail=4');
    expect(runPath('a/../b?c#d')).toBe('/runs/a%2F..%2Fb%3Fc%23d');
  });

  it('are quoted in a command and in a query', () => {
    expect(shellWord('mine@2')).toBe('mine@2');
    expect(shellWord("it's; rm")).toBe(`'it'\\''s; rm'`);
    expect(sqlText("it's")).toBe("'it''s'");
  });
});
