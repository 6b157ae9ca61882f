import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesProgram, wordsIn } from './lab-values.ts';

describe('a program typed as one text', () => {
  it.each([
    ['python3 easier.py', ['python3', 'easier.py']],
    ['  python3   "my engineer.py" --fast ', ['python3', 'my engineer.py', '--fast']],
    [`sh -c 'echo "{}"'`, ['sh', '-c', 'echo "{}"']],
    ['./a\\ b', ['./a b']],
    ['say "a \\"b\\" \\\\ c"', ['say', 'a "b" \\ c']],
  ])('%s is split into words', (text, words) => {
    expect(wordsIn(text, '--engineer')).toEqual(words);
  });

  it('quoted words are read unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), (words) => {
        const quoted = words.map((word) => `"${word.replaceAll(/["\\]/g, '\\$&')}"`).join(' ');
        expect(wordsIn(quoted, '--trainer')).toEqual(words);
      }),
    );
  });

  it.each(['', '   ', '"open', "sh -c 'open", 'a"b'])('%j is refused', (text) => {
    expect(() => wordsIn(text, '--engineer')).toThrow('--engineer: found');
  });

  it('is distinguished from a name by a space or a path', () => {
    expect(['rules', 'checkpoint@2', 'gpt-5.4'].map(namesProgram)).toEqual([false, false, false]);
    expect(['python3 a.py', './a', 'bin\\a.exe'].map(namesProgram)).toEqual([true, true, true]);
  });
});
