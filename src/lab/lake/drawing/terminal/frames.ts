// A plan step by step: small pictures in rows, the one in which it fails framed to stand out.
import type { Cell } from '../../instance.ts';
import type { Scene } from '../scene.ts';
import type { Walks } from '../walk.ts';
import type { BoardShape } from './board.ts';
import { Canvas } from './canvas.ts';
import { alarming, faint } from './ink.ts';
import { stacked, tiled } from './layout.ts';
import { boardOf } from './moment.ts';

export function framesOf(scene: Scene, walks: Walks, width: number): Canvas {
  const last = walks.breach?.step ?? walks.steps;
  const frames = Array.from({ length: last + 1 }, (_, step) => frameOf(scene, walks, step));
  return tiled(frames, width, 1);
}

function frameOf({ instance }: Scene, { breach, walks, positions }: Walks, step: number): Canvas {
  const isMarked = step === breach?.step;
  const shape: BoardShape = { cellWidth: 2, cellHeight: 1, hasNumbers: false, isMarked };
  const now = positions[step] as readonly Cell[];
  const before = positions[step - 1] ?? [];
  const board = boardOf({ instance, positions: now, before, marked: isMarked ? breach.cells : [] }, shape);
  for (const { cell, bumps } of walks.flatMap(({ visits }) => visits)) {
    for (const bump of bumps) if (bump.step === step) board.cross(board.corner(cell), bump.towards);
  }
  const title = new Canvas(board.canvas.width, 1);
  title.write(1, 0, `${step === 0 ? 'start' : `step ${step}`}${isMarked ? ' ╳' : ''}`, isMarked ? alarming : faint);
  return stacked([title, board.canvas]);
}
