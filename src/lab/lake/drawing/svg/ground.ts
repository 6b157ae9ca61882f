// Ice and water: a tile a cell. All tiles of a kind are one path of small squares with thick round edges.
import { type Cell, columnOf, type Instance, rowOf } from '../../instance.ts';
import { element, figures } from './markup.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where cells lie in a drawing. */
export class Grid {
  readonly size: number;
  /** Width of a cell. */
  readonly tile: number;
  readonly left: number;
  readonly top: number;

  constructor(size: number, tile: number, left: number, top: number) {
    this.size = size;
    this.tile = tile;
    this.left = left;
    this.top = top;
  }

  get width(): number {
    return this.size * this.tile;
  }

  middle(cell: Cell): Point {
    return {
      x: this.left + (columnOf(cell, this.size) + 0.5) * this.tile,
      y: this.top + (rowOf(cell, this.size) + 0.5) * this.tile,
    };
  }
}

export function ground({ holes }: Instance, grid: Grid): string {
  const ice: Cell[] = [];
  const water: Cell[] = [];
  holes.forEach((hole, cell) => {
    (hole === 1 ? water : ice).push(cell);
  });
  return tiles('ice', ice, grid) + tiles('water', water, grid) + waves(water, grid);
}

function tiles(kind: 'ice' | 'water', cells: readonly Cell[], grid: Grid): string {
  if (cells.length === 0) return '';
  const gap = grid.tile * 0.06;
  const edge = grid.tile * 0.3;
  const inner = grid.tile - gap - edge;
  const squares = cells.map((cell) => {
    const { x, y } = grid.middle(cell);
    return `M${figures(x - inner / 2, y - inner / 2)}h${figures(inner)}v${figures(inner)}h${figures(-inner)}z`;
  });
  return element('path', { class: `lake-${kind}`, 'stroke-width': edge, d: squares.join('') });
}

function waves(cells: readonly Cell[], grid: Grid): string {
  if (cells.length === 0) return '';
  const unit = grid.tile / 40;
  const wave = `q${figures(4.5 * unit, -5 * unit, 9 * unit, 0)}t${figures(9 * unit, 0)}`;
  const d = cells.map((cell) => {
    const { x, y } = grid.middle(cell);
    return `M${figures(x - 11 * unit, y - 3 * unit)}${wave}M${figures(x - 6 * unit, y + 6 * unit)}${wave}`;
  });
  return element('path', { class: 'lake-wave', 'stroke-width': 1.8 * unit, d: d.join('') });
}
