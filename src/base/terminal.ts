// Text on a terminal: its width in columns, how it is truncated, padded and wrapped, and the available colours.

const styles = {
  bold: '1',
  dim: '2',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  cyan: '36',
} as const;

/** Functions that colour a text by the name of the colour. */
export type Paint = Readonly<Record<keyof typeof styles, (text: string) => string>>;

export const colours: Paint = paintWith((code) => (text) => (text === '' ? '' : `\u001b[${code}m${text}\u001b[0m`));

/** For output that is not a terminal. */
export const noColours: Paint = paintWith(() => (text) => text);

function paintWith(styled: (code: string) => (text: string) => string): Paint {
  return Object.fromEntries(Object.entries(styles).map(([name, code]) => [name, styled(code)])) as Paint;
}

const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;
const halfwidth = /^[\uff61-\uffdc]/;
const invisible = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const printableAscii = /^[\x20-\x7e]*$/;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Wide characters and emoji take two columns, combining marks none. */
export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) && !halfwidth.test(grapheme) ? 2 : 1;
}

/** The text truncated to `width` columns, with an ellipsis if anything was cut. */
export function truncateText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let start = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = graphemeWidth(segment);
    if (used + next > width - 1) break;
    start += segment;
    used += next;
  }
  return `${start}…`;
}

export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const room = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + room : room + text;
}

/**
 * Wraps prose to lines of at most `width` columns, broken at single spaces. A longer word is not broken, so that it can be
 * copied as one word even if the terminal wraps it.
 */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  const [first = '', ...others] = text.split(' ');
  let line = first;
  for (const word of others) {
    const longer = `${line} ${word}`;
    if (displayWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
