// Where in what was written something is wrong: DuckDB counts bytes, people count lines and letters.

export interface Place {
  readonly line: number;
  readonly column: number;
  readonly excerpt: string;
}

/** As many letters of a long line are shown before and after the place. */
const around = 60;

/** Null where the offset is none, as DuckDB says it with the largest number there is. */
export function placeAt(sql: string, byteOffset: number): Place | null {
  const bytes = Buffer.from(sql);
  if (!Number.isInteger(byteOffset) || byteOffset < 0 || byteOffset > bytes.length) return null;
  const before = bytes.subarray(0, byteOffset).toString().split('\n');
  const upTo = before.at(-1) ?? '';
  const rest = bytes.subarray(byteOffset).toString().split('\n', 1)[0] ?? '';
  return { line: before.length, column: [...upTo].length + 1, excerpt: drawn(before.length, upTo, rest) };
}

function drawn(line: number, before: string, after: string): string {
  const left = [...before.replaceAll('\t', ' ')];
  const right = [...after.replaceAll('\t', ' ').trimEnd()];
  const head = left.length > around ? `…${left.slice(-around).join('')}` : left.join('');
  const tail = right.length > around ? `${right.slice(0, around).join('')}…` : right.join('');
  const label = `LINE ${line}: `;
  return `${label}${head}${tail}\n${' '.repeat(label.length + [...head].length)}^`;
}

/** The index in the text at which so many bytes of it are over. */
export function indexAt(text: string, byteOffset: number): number {
  return Buffer.from(text).subarray(0, byteOffset).toString().length;
}
