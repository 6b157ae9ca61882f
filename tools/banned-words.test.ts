import { describe, expect, it } from 'vitest';
import { countsOf, lowered, occurrencesIn, risen } from './banned-words.ts';
import { bannedWords } from './banned-words-list.ts';

/** The banned words of a text, in the order of the list. */
function wordsIn(text: string, path = 'src/a.ts'): readonly string[] {
  return occurrencesIn(path, text).map(({ word }) => word);
}

describe('a banned word', () => {
  it('is found in every style of identifier and with its usual endings', () => {
    for (const text of ['lane', 'lanes', 'laneOf(x)', 'openLanes', 'interface Lane {', 'MAX_LANES', 'a_lane']) {
      expect(wordsIn(text), text).toEqual(['lane']);
    }
  });

  it('is not found inside another word', () => {
    for (const text of [
      'plane',
      'airplanes',
      'returned',
      'label',
      'retold',
      'homedir()',
      'the home directory',
      'doorbell',
    ]) {
      expect(wordsIn(text), text).toEqual([]);
    }
  });

  it('is found as a phrase across line ends, also in comments', () => {
    expect(wordsIn('is gone\non with')).toEqual(['is gone on with']);
    expect(wordsIn('// of\n  // two minds')).toEqual(['of two minds']);
    expect(wordsIn('/** Of\n * two minds */')).toEqual(['of two minds']);
    expect(wordsIn('so manifold')).toEqual([]);
  });

  it('is found as the name of a file or folder', () => {
    const participle = 'a bare participle as a name';
    expect(wordsIn('', 'src/why/told.ts')).toEqual([participle]);
    expect(wordsIn('', 'src/shown/why.ts')).toEqual([participle]);
    expect(wordsIn('', 'src/cli/init-wanted.ts')).toEqual([participle]);
    expect(wordsIn('', 'src/entrylist.ts')).toEqual([]);
  });

  it('is reported with its line', () => {
    expect(occurrencesIn('docs/a.md', 'One.\n  Two besides.\n')).toEqual([
      { word: 'besides', path: 'docs/a.md', line: 2, text: 'Two besides.' },
    ]);
  });

  it('is listed once, with a replacement', () => {
    expect(new Set(bannedWords.map(({ word }) => word)).size).toBe(bannedWords.length);
    expect(bannedWords.filter(({ instead }) => instead === '')).toEqual([]);
  });
});

describe('the number of occurrences', () => {
  const words = bannedWords.filter(({ word }) => ['lane', 'besides'].includes(word));

  it('may fall and may not rise', () => {
    const counts = countsOf(occurrencesIn('src/a.ts', 'lane lane', words), words);
    expect(counts).toEqual({ lane: 2, besides: 0 });
    expect(risen(counts, { lane: 3, besides: 1 })).toEqual([]);
    expect(risen(counts, { lane: 2, besides: 0 })).toEqual([]);
    expect(risen(counts, { lane: 1, besides: 0 })).toEqual(['lane']);
    expect(risen(counts, {})).toEqual(['lane']);
  });

  it('is recorded only if it fell, or for a new word', () => {
    expect(lowered({ lane: 2, besides: 5 }, { lane: 3, besides: 1 })).toEqual({ besides: 1, lane: 2 });
    expect(lowered({ lane: 2 }, { removed: 7 })).toEqual({ lane: 2 });
  });
});
