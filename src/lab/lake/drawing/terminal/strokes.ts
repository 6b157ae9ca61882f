// One agent's line in box-drawing characters. Lines are kept as the arms that leave each place, so that turns, ends and
// ways walked twice come out right whatever the order.
import { type Direction, opposite } from '../walk.ts';
import type { Canvas } from './canvas.ts';
import type { Ink } from './ink.ts';

export type Point = readonly [column: number, line: number];

interface Place {
  arms: number;
  /** Arms that are there in earnest. */
  solid: number;
  arrow: string;
}

const arm: Readonly<Record<Direction, number>> = { U: 1, R: 2, D: 4, L: 8 };
const vertical = 5;
const horizontal = 10;

/** By arms. */
const lines = ' ╵╶╰╷│╭├╴╯─┴╮┤┬┼';
const arrows: Readonly<Record<Direction, string>> = { U: '▴', R: '▸', D: '▾', L: '◂' };

export const steps: Readonly<Record<Direction, Point>> = { U: [0, -1], R: [1, 0], D: [0, 1], L: [-1, 0] };

export class Strokes {
  readonly #places = new Map<string, Place>();

  /** A step from one point to another, with an arrow just before it arrives. */
  step([column, line]: Point, direction: Direction, length: number, isGhost: boolean): void {
    const [right, down] = steps[direction];
    for (let i = 0; i <= length; i++) {
      const place = this.#at(column + i * right, line + i * down);
      const arms = (i < length ? arm[direction] : 0) | (i > 0 ? arm[opposite[direction]] : 0);
      place.arms |= arms;
      if (!isGhost) place.solid |= arms;
    }
    const [x, y] = [column + Math.max(1, length - 1) * right, line + Math.max(1, length - 1) * down];
    const place = this.#at(x, y);
    place.arrow = isOneWay(place.arrow, direction) ? arrows[direction] : bothWays[direction];
  }

  /** Where lines of two agents cross, the upright one passes over. */
  draw(canvas: Canvas, ink: Ink, ghost: Ink): void {
    for (const [key, place] of this.#places) {
      const [column = 0, line = 0] = key.split(',').map(Number);
      const glyph = glyphOf(place);
      const isOver = (place.arms & vertical) !== 0 || !isUpright(canvas.glyphAt(column, line));
      if (isOver) canvas.write(column, line, glyph, place.solid === 0 ? ghost : ink);
    }
  }

  #at(column: number, line: number): Place {
    const key = `${column},${line}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = { arms: 0, solid: 0, arrow: '' };
    this.#places.set(key, place);
    return place;
  }
}

/** A way that was walked in both directions has no arrow but a double line. */
const bothWays: Readonly<Record<Direction, string>> = { U: '║', D: '║', L: '═', R: '═' };

function isOneWay(arrow: string, direction: Direction): boolean {
  return arrow === '' || arrow === arrows[direction];
}

/** An arrow stands on a straight line only: where one turns, the turn says more. */
function glyphOf({ arms, solid, arrow }: Place): string {
  const isStraight = arms === vertical || arms === horizontal;
  if (arrow !== '' && isStraight) return arrow;
  if (solid === 0 && arms === vertical) return '╎';
  if (solid === 0 && arms === horizontal) return '╌';
  return lines.charAt(arms);
}

function isUpright(glyph: string): boolean {
  return !' ∙░─╌'.includes(glyph);
}
