// Counts words and phrases that icecore does not use, over the whole repository. The counts may only fall: an increase fails and lists the lines.
// With --record, lower counts become the new limit.
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BannedWord, bannedWords } from './banned-words-list.ts';

export type Counts = Readonly<Record<string, number>>;

export interface Occurrence {
  readonly word: string;
  readonly path: string;
  /** From 1; 0 for the file name. */
  readonly line: number;
  readonly text: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const countsFile = 'tools/banned-words.json';
// Generated, recorded and foreign files, and the list itself.
const excluded =
  /^(api\/|package-lock\.json|LICENSE|schemas\/json\/|schemas\/golden\/|test\/golden\/\d+\/|docs\/ablation\/|tools\/banned-words)/;
const isText = /(\.(ts|cjs|mjs|js|md|json|sql|py|sh|txt|yml|ipynb|html|css)|^\.ci\/run)$/;

/** Every occurrence of a banned word in a text or in the name of its file. */
export function occurrencesIn(path: string, text: string, words: readonly BannedWord[] = bannedWords): Occurrence[] {
  return words.flatMap(({ word, pattern, inFileNames }) => [
    ...(inFileNames?.test(path) === true ? [{ word, path, line: 0, text: path }] : []),
    ...(pattern === undefined ? [] : [...text.matchAll(pattern)].map(({ index }) => placed(word, path, text, index))),
  ]);
}

function placed(word: string, path: string, text: string, index: number): Occurrence {
  const line = text.slice(0, index).split('\n').length;
  return { word, path, line, text: (text.split('\n')[line - 1] ?? '').trim() };
}

export function countsOf(occurrences: readonly Occurrence[], words: readonly BannedWord[] = bannedWords): Counts {
  const counts = Object.fromEntries(words.map(({ word }) => [word, 0]));
  for (const { word } of occurrences) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** Words with more occurrences than recorded. Unrecorded words may not occur. */
export function risen(counts: Counts, recorded: Counts): readonly string[] {
  return Object.keys(counts).filter((word) => (counts[word] ?? 0) > (recorded[word] ?? 0));
}

/** The updated record: counts never increase, except for new words of the list. */
export function lowered(counts: Counts, recorded: Counts): Counts {
  const words = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(words.map(([word, count]) => [word, Math.min(count, recorded[word] ?? count)]));
}

function main(): void {
  const occurrences = repositoryFiles().flatMap((path) => occurrencesIn(path, readFileSync(join(root, path), 'utf8')));
  const counts = countsOf(occurrences);
  const recorded = JSON.parse(readFileSync(join(root, countsFile), 'utf8')) as Counts;
  const allowed = process.argv.includes('--record') ? lowered(counts, recorded) : recorded;
  if (allowed !== recorded) writeFileSync(join(root, countsFile), `${JSON.stringify(allowed, null, 2)}\n`);
  for (const word of risen(counts, allowed)) report(word, occurrences, counts, allowed);
  process.exitCode = risen(counts, allowed).length > 0 ? 1 : 0;
}

function report(word: string, occurrences: readonly Occurrence[], counts: Counts, recorded: Counts): void {
  const all = occurrences.filter((occurrence) => occurrence.word === word);
  const added = addedLines();
  const recent = all.filter(({ path, line }) => added.has(`${path}:${line}`) || added.has(`${path}:0`));
  const instead = bannedWords.find((banned) => banned.word === word)?.instead;
  const places = (recent.length > 0 ? recent : all).slice(0, 20);
  process.stderr.write(
    `"${word}" is in ${counts[word]} places, at most ${recorded[word] ?? 0} allowed; write instead: ${instead}\n` +
      places.map(({ path, line, text }) => `  ${path}:${line}: ${text.slice(0, 120)}\n`).join(''),
  );
}

/** Lines added since the record last changed, as `path:line`, and `path:0` for whole files; empty without git. */
function addedLines(): ReadonlySet<string> {
  const since = git('log', '-1', '--format=%H', '--', countsFile).trim();
  const added = new Set(
    git('ls-files', '--others', '--exclude-standard')
      .split('\n')
      .map((path) => `${path}:0`),
  );
  let path = '';
  for (const line of since === '' ? [] : git('diff', '--unified=0', '--no-color', '--no-ext-diff', since).split('\n')) {
    if (line.startsWith('+++ ')) path = line.slice('+++ b/'.length);
    const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let i = 0; from !== undefined && i < Number(count); i += 1) added.add(`${path}:${Number(from) + i}`);
  }
  return added;
}

function repositoryFiles(): readonly string[] {
  const listed = git('ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0');
  return [...new Set(listed)].filter((path) => isText.test(path) && !excluded.test(path) && isFile(path)).sort();
}

function isFile(path: string): boolean {
  return lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
}

if (import.meta.main) main();
