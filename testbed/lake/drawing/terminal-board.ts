// The grid of terminal drawings: a frame, numbers of rows and columns on larger lakes, holes, and marks in the frame that point at a
// cell from all four sides.
import { type Cell, columnOf, type Instance, rowOf } from '../instance.ts';
import { alarm, alarming, Canvas, faint, type Ink, water } from './terminal-canvas.ts';
import type { Direction } from './walk.ts';

export interface BoardShape {
  /** Columns and lines per cell. */
  readonly cellWidth: number;
  readonly cellHeight: number;
  readonly hasNumbers: boolean;
  /** With a frame that highlights it among others. */
  readonly isMarked: boolean;
}

const frames = {
  quiet: { across: '─', down: '│', corners: '╭╮╰╯' },
  marked: { across: '═', down: '║', corners: '╔╗╚╝' },
} as const;

export class Board {
  readonly canvas: Canvas;
  readonly size: number;
  readonly shape: BoardShape;
  readonly #left: number;
  readonly #top: number;

  constructor({ size }: Instance, shape: BoardShape) {
    this.size = size;
    this.shape = shape;
    this.#left = leftOf(size, shape);
    this.#top = shape.hasNumbers ? 2 : 1;
    this.canvas = new Canvas(widthOf(size, shape), this.#top + size * shape.cellHeight + 1);
    this.#frame();
    if (shape.hasNumbers) this.#number();
  }

  /** The column and line where a cell starts. */
  corner(cell: Cell): Point {
    const { cellWidth, cellHeight } = this.shape;
    return [this.#left + columnOf(cell, this.size) * cellWidth, this.#top + rowOf(cell, this.size) * cellHeight];
  }

  /** A hole fills its cell; in large cells, a gap separates neighbours. */
  hole(cell: Cell): void {
    const [column, line] = this.corner(cell);
    const { cellWidth, cellHeight } = this.shape;
    const width = cellWidth > 2 ? cellWidth - 1 : cellWidth;
    for (let y = 0; y < cellHeight; y++) this.canvas.write(column, line + y, '░'.repeat(width), water);
  }

  middle(cell: Cell): Point {
    const [column, line] = this.corner(cell);
    const { cellWidth, cellHeight } = this.shape;
    return [column + Math.floor((cellWidth - 1) / 2), line + Math.floor((cellHeight - 1) / 2)];
  }

  /** From the frame. With more than two cells, columns and rows could not be matched. */
  pointAt(cells: readonly Cell[]): void {
    if (cells.length <= 2) for (const cell of cells) this.#pointAt(cell);
  }

  #pointAt(cell: Cell): void {
    const { canvas } = this;
    const [column, line] = this.middle(cell);
    canvas.write(column, this.#top - 1, '▾', alarming);
    canvas.write(column, canvas.height - 1, '▴', alarming);
    canvas.write(this.#frameLeft, line, '▸', alarming);
    canvas.write(canvas.width - 1, line, '◂', alarming);
  }

  /** The distance from a point to the frame. */
  toFrame([column, line]: Point, side: Direction): number {
    if (side === 'U') return line - this.#top + 1;
    if (side === 'D') return this.canvas.height - 1 - line;
    return side === 'L' ? column - this.#frameLeft : this.canvas.width - 1 - column;
  }

  /** Marks an agent that leaves the grid with a cross in the frame. */
  cross([column, line]: Point, side: Direction): void {
    const far = this.toFrame([column, line], side);
    const [right, down] = steps[side];
    this.canvas.write(column + far * right, line + far * down, '╳', alarm);
  }

  get #frameLeft(): number {
    return this.#left - gap(this.shape) - 1;
  }

  #frame(): void {
    const { canvas, shape } = this;
    const { across, down, corners } = shape.isMarked ? frames.marked : frames.quiet;
    const ink: Ink = shape.isMarked ? alarming : faint;
    const left = this.#frameLeft;
    const right = canvas.width - 1;
    const [topLeft = '', topRight = '', bottomLeft = '', bottomRight = ''] = corners;
    const line = across.repeat(right - left - 1);
    canvas.write(left, this.#top - 1, topLeft + line + topRight, ink);
    canvas.write(left, canvas.height - 1, bottomLeft + line + bottomRight, ink);
    for (let y = this.#top; y < canvas.height - 1; y++) {
      canvas.write(left, y, down, ink);
      canvas.write(right, y, down, ink);
    }
  }

  #number(): void {
    const { cellWidth } = this.shape;
    const wide = String(this.size - 1).length;
    const every = [1, 2, 5, 10].find((step) => step * cellWidth > wide) ?? 10;
    for (let i = 0; i < this.size; i++) {
      const [column] = this.middle(i);
      const [, line] = this.middle(i * this.size);
      if (i % every === 0) this.canvas.write(column, 0, String(i), faint);
      this.canvas.write(0, line, String(i).padStart(wide), faint);
    }
  }
}

/** Between the frame and the first cell; the last cell ends with the same gap. */
function gap({ cellWidth }: BoardShape): number {
  return cellWidth > 1 ? 1 : 0;
}

function leftOf(size: number, shape: BoardShape): number {
  return (shape.hasNumbers ? String(size - 1).length + 1 : 0) + 1 + gap(shape);
}

export function widthOf(size: number, shape: BoardShape): number {
  return leftOf(size, shape) + size * shape.cellWidth + 1;
}

// One agent's line in box-drawing characters. Each place stores the arms that leave it, so that turns, ends and repeated ways are correct
// in any order.

export type Point = readonly [column: number, line: number];

export const steps: Readonly<Record<Direction, Point>> = { U: [0, -1], R: [1, 0], D: [0, 1], L: [-1, 0] };
