import { describe, expect, it } from 'vitest';
import { occurrencesIn } from './banned-words.ts';
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
