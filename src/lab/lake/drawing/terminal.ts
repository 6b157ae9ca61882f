// A lake for the terminal, and for models that read: as it is, with the trails of a plan, and step by step. Lines of equal
// width, one column a character. Colour only helps: without it letters and signs say the same.

import type { Scene } from './scene.ts';
import type { BoardShape } from './terminal/board.ts';
import { fares, legend, verdict } from './terminal/caption.ts';
import { framesOf } from './terminal/frames.ts';
import { stacked } from './terminal/layout.ts';
import { boardOf } from './terminal/moment.ts';
import type { Page } from './terminal/page.ts';
import { trailsOf } from './terminal/trails.ts';
import { walksOf } from './walk.ts';

/** The lake before the first step. */
export function lakeLines({ instance }: Scene, { colour, width }: Page): string[] {
  const positions = instance.agents.map(({ start }) => start);
  const shape: BoardShape = { cellWidth: 2, cellHeight: 1, hasNumbers: true, isMarked: false };
  const { canvas } = boardOf({ instance, positions, before: [], marked: [] }, shape);
  return stacked([canvas, legend(instance, width)]).lines(colour);
}

/** Every agent's way in one picture, and how it fared. */
export function trailLines(scene: Scene, page: Page): string[] {
  const { colour, width } = page;
  const walks = walksOf(scene);
  const { canvas } = trailsOf(scene.instance, walks, page);
  return stacked([canvas, ...fares(scene, walks, width), ...verdict(scene, walks, width)]).lines(colour);
}

/** A picture a step, side by side, up to the first step that failed. */
export function frameLines(scene: Scene, { colour, width }: Page): string[] {
  const walks = walksOf(scene);
  return stacked([framesOf(scene, walks, width), ...verdict(scene, walks, width), legend(scene.instance, width)]).lines(
    colour,
  );
}
