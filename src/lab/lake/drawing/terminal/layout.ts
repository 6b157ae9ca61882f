// Putting pieces of a drawing together: one below the other, side by side, and words wrapped to the width there is.
import { wrapped } from '../wrap.ts';
import { Canvas } from './canvas.ts';
import type { Ink } from './ink.ts';

export function stacked(pieces: readonly Canvas[]): Canvas {
  const width = Math.max(0, ...pieces.map((piece) => piece.width));
  const all = new Canvas(
    width,
    pieces.reduce((sum, { height }) => sum + height, 0),
  );
  let line = 0;
  for (const piece of pieces) {
    all.place(0, line, piece);
    line += piece.height;
  }
  return all;
}

/** In rows as wide as the width allows, a gap between neighbours and between rows. */
export function tiled(pieces: readonly Canvas[], width: number, gap: number): Canvas {
  const widest = Math.max(...pieces.map((piece) => piece.width));
  const perRow = Math.max(1, Math.floor((width + gap) / (widest + gap)));
  const rows: Canvas[] = [];
  for (let from = 0; from < pieces.length; from += perRow) {
    if (from > 0) rows.push(new Canvas(0, 1));
    rows.push(beside(pieces.slice(from, from + perRow), widest + gap));
  }
  return stacked(rows);
}

function beside(pieces: readonly Canvas[], pitch: number): Canvas {
  const last = pieces.at(-1) as Canvas;
  const row = new Canvas(pitch * (pieces.length - 1) + last.width, Math.max(...pieces.map(({ height }) => height)));
  pieces.forEach((piece, i) => {
    row.place(i * pitch, 0, piece);
  });
  return row;
}

/** Words behind a sign, wrapped where they are too long; what is wrapped stands below the words. */
export function signed(sign: string, signInk: Ink, words: string, wordsInk: Ink, width: number): Canvas {
  const indent = sign.length + 2;
  const text = said(words, width - indent, wordsInk);
  const canvas = new Canvas(indent + text.width, text.height);
  canvas.write(0, 0, sign, signInk);
  canvas.place(indent, 0, text);
  return canvas;
}

/** Words in lines narrower than this are none. */
const narrowest = 8;

export function said(words: string, width: number, ink: Ink): Canvas {
  const lines = wrapped(words, Math.max(narrowest, width));
  const canvas = new Canvas(Math.max(...lines.map(({ length }) => length)), lines.length);
  lines.forEach((line, i) => {
    canvas.write(0, i, line, ink);
  });
  return canvas;
}
