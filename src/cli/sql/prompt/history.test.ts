import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/harness.ts';
import { openHistory } from './history.ts';

const characters = fc.constantFrom('a', ' ', '"', '\\', '\n', '\r', '\t', '\u2028', '語', '\u0000', '\ud83d');

describe('the history of the SQL prompt', () => {
  it('returns every entry unchanged, oldest first, without consecutive duplicates', () => {
    const folder = temporaryFolder();
    let file = 0;
    fc.assert(
      fc.property(fc.array(fc.string({ unit: characters, minLength: 1 }), { maxLength: 6 }), (added) => {
        file += 1;
        const path = join(folder, String(file));
        const history = openHistory(path);
        for (const entry of added) history.add(entry);
        const distinct = added.filter((entry, i) => entry !== added[i - 1]);
        expect(history.entries).toEqual(distinct);
        expect(openHistory(path).entries).toEqual(distinct);
      }),
      { numRuns: 10 },
    );
  });

  it('is readable by its owner only, even if the file was readable by others', () => {
    const path = join(temporaryFolder(), 'history');
    openHistory(path).add('select 1;');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    openHistory(path).add('select 2;');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('keeps the entries of concurrent prompts', () => {
    const path = join(temporaryFolder(), 'history');
    const [one, other] = [openHistory(path), openHistory(path)];
    one.add('a');
    other.add('b');
    one.add('c');
    expect(openHistory(path).entries).toEqual(['a', 'b', 'c']);
  });

  it('appends after a torn last line, and skips invalid lines', () => {
    const path = join(temporaryFolder(), 'history');
    writeFileSync(path, '"a"\n\nnonsense\n{"b":1}\n""\n"sel');
    const history = openHistory(path);
    expect(history.entries).toEqual(['a']);
    history.add('c');
    history.add('d');
    expect(openHistory(path).entries).toEqual(['a', 'c', 'd']);
  });

  it('reads only the newest part of a long file, and does not shorten it', () => {
    const path = join(temporaryFolder(), 'history');
    const long = Array.from({ length: 30_000 }, (_, i) => `select ${i}, 'some text that makes it longer';`);
    writeFileSync(path, long.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    const history = openHistory(path);
    expect(history.entries.length).toBeGreaterThan(10_000);
    expect(history.entries).toEqual(long.slice(-history.entries.length));
    history.add('last');
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(30_002);
  });

  it('is empty without a file', () => {
    const history = openHistory(null);
    history.add('a');
    expect(history.entries).toEqual(['a']);
    expect(openHistory(join(temporaryFolder(), 'none')).entries).toEqual([]);
  });
});
