// What Tab does with DuckDB's suggestions: those that go on from what is typed are inserted as far as they agree, and
// listed where nothing more can be. DuckDB also suggests what is merely similar; a prompt that replaced what somebody typed
// by something else would not be trusted again.
import type { Completion } from '../../../projections/query/questions.ts';

export interface Completed {
  /** The text before the cursor, gone on with. */
  readonly text: string;
  /** What it could go on with, where there is more than one. */
  readonly choices: readonly string[];
}

export function completed(text: string, suggestions: readonly Completion[]): Completed | null {
  const fitting = suggestions.filter(({ suggestion, start }) => goesOn(suggestion, text.slice(start)));
  const [first] = fitting;
  if (first === undefined) return null;
  const typed = text.slice(first.start);
  const choices = distinct(fitting.filter(({ start }) => start === first.start).map(({ suggestion }) => suggestion));
  const [only = ''] = choices;
  const goneOn = choices.length === 1 ? only : longestCommon(choices.map((choice) => choice.trimEnd()));
  return {
    text: text.slice(0, first.start) + asTyped(typed, goneOn, choices),
    choices: choices.length === 1 ? [] : choices.map((choice) => choice.trimEnd()),
  };
}

/** Operators, which DuckDB lists as functions with names in quotes, are nothing that anybody completes. */
function goesOn(suggestion: string, typed: string): boolean {
  if (!/^"?[\p{L}_.]/u.test(suggestion)) return false;
  return (
    suggestion.toLowerCase().startsWith(typed.toLowerCase()) || unquoted(suggestion).startsWith(typed.toLowerCase())
  );
}

function unquoted(suggestion: string): string {
  return suggestion.replace(/^"/, '').toLowerCase();
}

/** A name that is also offered as a keyword is one choice, in the words that came first. */
function distinct(suggestions: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const suggestion of suggestions) {
    const key = suggestion.replaceAll('"', '').trimEnd().toLowerCase();
    if (!seen.has(key)) seen.set(key, suggestion);
  }
  return [...seen.values()];
}

function longestCommon(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let size = first.length;
  for (const other of others) {
    let same = 0;
    while (same < size && other[same]?.toLowerCase() === first[same]?.toLowerCase()) same++;
    size = same;
  }
  return first.slice(0, size);
}

/** Nothing typed is taken back, and a keyword goes on in capitals where it was begun in them. */
function asTyped(typed: string, goneOn: string, choices: readonly string[]): string {
  if (!goneOn.toLowerCase().startsWith(typed.toLowerCase()))
    return goneOn === '' || choices.length > 1 ? typed : goneOn;
  const rest = goneOn.slice(typed.length);
  const isKeyword = choices.every((choice) => choice.endsWith(' '));
  const isCapital = /\p{Lu}/u.test(typed) && !/\p{Ll}/u.test(typed);
  return typed + (isKeyword && isCapital ? rest.toUpperCase() : rest);
}
