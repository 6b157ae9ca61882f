// The text under the cursor and what keys do to it, as values. Characters are what people take for one, so that the cursor
// never stands within an emoji; lines are those of the text, not those of the screen.

export interface Text {
  readonly text: string;
  /** Where the cursor is: before the character at this index. */
  readonly at: number;
}

export const nothing: Text = { text: '', at: 0 };

export type Edit = (text: Text) => Text;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Typed or pasted: line breaks become what they are here, and what would steer a terminal is left out. */
export function inserted(said: string): Edit {
  const clean = said.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '');
  return ({ text, at }) => ({ text: text.slice(0, at) + clean + text.slice(at), at: at + clean.length });
}

export function whole(text: string): Text {
  return { text, at: text.length };
}

export const left: Edit = ({ text, at }) => ({
  text,
  at: at - lastCharacter(text.slice(lineStartOf(text, at), at), at),
});
export const right: Edit = ({ text, at }) => ({ text, at: at + firstCharacter(text.slice(at)) });
export const wordLeft: Edit = ({ text, at }) => ({
  text,
  at: at - length(/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u, text.slice(0, at)),
});
export const wordRight: Edit = ({ text, at }) => ({
  text,
  at: at + length(/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u, text.slice(at)),
});
export const lineStart: Edit = ({ text, at }) => ({ text, at: lineStartOf(text, at) });
export const lineEnd: Edit = ({ text, at }) => ({ text, at: lineEndOf(text, at) });
export const textStart: Edit = ({ text }) => ({ text, at: 0 });
export const textEnd: Edit = ({ text }) => whole(text);

/** To the line above, as far from its start; on the first line, nowhere. */
export function up({ text, at }: Text): Text | null {
  const start = lineStartOf(text, at);
  if (start === 0) return null;
  const above = lineStartOf(text, start - 1);
  return { text, at: Math.min(above + (at - start), start - 1) };
}

export function down({ text, at }: Text): Text | null {
  const end = lineEndOf(text, at);
  if (end === text.length) return null;
  return { text, at: Math.min(end + 1 + (at - lineStartOf(text, at)), lineEndOf(text, end + 1)) };
}

/** Takes out what lies between the cursor and where the move would bring it. */
export function cutTo(move: Edit): (text: Text) => { readonly left: Text; readonly cut: string } {
  return (before) => {
    const { text, at } = before;
    const other = move(before).at;
    const [from, to] = [Math.min(at, other), Math.max(at, other)];
    return { left: { text: text.slice(0, from) + text.slice(to), at: from }, cut: text.slice(from, to) };
  };
}

/** At the end of a line its break is what a cut to the end takes, so that repeating it joins lines. */
export const lineRest: Edit = (text) => {
  const end = lineEnd(text);
  return end.at === text.at ? right(text) : end;
};

function lineStartOf(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEndOf(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function lastCharacter(line: string, at: number): number {
  if (line === '') return Math.min(1, at);
  let last = 1;
  for (const { segment } of graphemes.segment(line)) last = segment.length;
  return last;
}

function firstCharacter(rest: string): number {
  const [first] = graphemes.segment(rest.slice(0, 64));
  return first?.segment.length ?? 0;
}

function length(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0;
}
