// A line through points as a path with its corners rounded.
import type { Point } from './ground.ts';
import { figures } from './markup.ts';

export function curve(through: readonly Point[], radius: number): string {
  const points = corners(through);
  const [start, ...rest] = points;
  if (start === undefined) return '';
  const parts = rest.map((point, i) => {
    const next = rest[i + 1];
    if (next === undefined) return `L${at(point)}`;
    const before = points[i] as Point;
    const room = Math.min(radius, distance(before, point) / 2, distance(point, next) / 2);
    return `L${at(between(point, before, room))}Q${at(point)} ${at(between(point, next, room))}`;
  });
  return `M${at(start)}${parts.join('')}`;
}

function at({ x, y }: Point): string {
  return figures(x, y);
}

/** Only the points where the line turns, and its ends. */
function corners(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    const [before, last] = kept.slice(-2);
    const previous = last ?? before;
    if (previous !== undefined && distance(previous, point) < 0.05) continue;
    if (before !== undefined && last !== undefined && isStraight(before, last, point)) kept.pop();
    kept.push(point);
  }
  return kept;
}

function isStraight(a: Point, b: Point, c: Point): boolean {
  const across = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
  const ahead = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y);
  return Math.abs(across) < 0.05 && ahead > 0;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(b.x - a.x, b.y - a.y);
}

/** From one point so far towards another. */
function between(from: Point, to: Point, far: number): Point {
  const share = far / distance(from, to);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
