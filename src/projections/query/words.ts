// A statement as words and signs, without comments and blanks. It serves what only words can tell: which kind of statement
// was refused, and where EXPLAIN ends and what it explains begins. What is allowed is decided by DuckDB's parser alone.

export interface Word {
  /** In capitals where it is a keyword or a plain name. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const pattern =
  /(?<skipped>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|[eE]'(?:\\[\s\S]|[^'\\]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$|(?<name>[\p{L}_][\p{L}\p{N}_$]*)|[\s\S]/gu;

export function wordsOf(sql: string): readonly Word[] {
  const words: Word[] = [];
  for (const match of sql.matchAll(pattern)) {
    if (match.groups?.['skipped'] !== undefined) continue;
    const text = match.groups?.['name'] === undefined ? match[0] : match[0].toUpperCase();
    words.push({ text, from: match.index, to: match.index + match[0].length });
  }
  return words;
}

/** Where the statement begins that is explained, when one is. */
export function explainedFrom(sql: string): number | null {
  const words = wordsOf(sql);
  const first = words.findIndex(({ text }) => text !== ';');
  if (words[first]?.text !== 'EXPLAIN') return null;
  return words[afterOptions(words, first + 1)]?.from ?? sql.length;
}

/** Behind ANALYZE, and behind `(FORMAT json)`; a parenthesis that holds anything else belongs to the statement. */
function afterOptions(words: readonly Word[], at: number): number {
  const word = words[at]?.text;
  if (word === 'ANALYZE' || word === 'ANALYSE' || word === 'VERBOSE') return afterOptions(words, at + 1);
  if (word !== '(' || !/^(?:FORMAT|ANALY[SZ]E|VERBOSE)$/.test(words[at + 1]?.text ?? '')) return at;
  const end = words.findIndex(({ text }, index) => index > at && text === ')');
  return end < 0 ? at : end + 1;
}

/** The same length, with nothing in it but blanks and words: no comment is left that could end elsewhere than it seems to. */
export function withoutComments(sql: string, to: number): string {
  const kept = wordsOf(sql.slice(0, to));
  let plain = '';
  for (const { text, from } of kept) plain += ' '.repeat(Math.max(0, from - plain.length)) + text;
  return plain.padEnd(to);
}

/** Whether something stands behind a semicolon. */
export function isSeveral(sql: string): boolean {
  const words = wordsOf(sql).map(({ text }) => text);
  const begun = words.findIndex((text) => text !== ';');
  const end = words.indexOf(';', begun);
  return begun >= 0 && end >= 0 && words.slice(end).some((text) => text !== ';');
}
