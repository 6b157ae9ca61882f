// Finds words and phrases that icecore does not use, in the whole repository, and names each place.
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BannedWord, bannedWords } from './banned-words-list.ts';

export interface Occurrence {
  readonly word: string;
  readonly path: string;
  /** From 1; 0 for the file name. */
  readonly line: number;
  readonly text: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
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

function main(): void {
  const occurrences = repositoryFiles().flatMap((path) => occurrencesIn(path, readFileSync(join(root, path), 'utf8')));
  for (const { word, path, line, text } of occurrences) {
    const instead = bannedWords.find((banned) => banned.word === word)?.instead;
    process.stderr.write(`${path}:${line}: "${word}", write instead: ${instead}\n  ${text.slice(0, 120)}\n`);
  }
  process.exitCode = occurrences.length > 0 ? 1 : 0;
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
