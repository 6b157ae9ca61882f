// How many columns of a terminal a text takes: two for wide characters and emoji, none for combining marks.

const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;
const halfwidth = /^[\uff61-\uffdc]/;
const invisible = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const printableAscii = /^[\x20-\x7e]*$/;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

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

/** The text cut to at most `width` columns; where something is cut, an ellipsis says so. */
export function fitted(text: string, width: number): string {
  if (text.length <= width && displayWidth(text) <= width) return text;
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = graphemeWidth(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}

export function padded(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const room = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + room : room + text;
}
