// How training data are divided, in a character a family: the taller a block, the larger the share. Colours only repeat what
// the blocks say.
import type { StageRow } from '../../../schemas/run-output.ts';
import type { Paint } from '../output/paint.ts';
import { visible } from '../output/visible.ts';
import { percent } from './figures.ts';

type Shares = StageRow['shares'];

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const none = '·';
const more = '…';

/** More families than this are not told apart by eye. */
const mostFamilies = 24;

export interface Strip {
  /** Of one stage; empty where nothing is known of it. */
  of(shares: Shares): string;
  readonly paint: (text: string) => string;
  /** What it means, as a sentence; null where there is nothing to say. */
  readonly legend: string | null;
}

/** One scale for all stages of a run, so that they can be held against each other. */
export function stripOf(stages: readonly Shares[], paint: Paint): Strip {
  const families = [...new Set(stages.flatMap((shares) => shares.map(({ family }) => family)))];
  const top = Math.max(0, ...stages.flatMap((shares) => shares.map(({ share }) => share)));
  const shown = families.length > mostFamilies ? families.slice(0, mostFamilies - 1) : families;
  const isCut = shown.length < families.length;
  return {
    of: (shares) => {
      if (shares.length === 0) return '';
      const known = new Map(shares.map(({ family, share }) => [family, share]));
      return shown.map((family) => blockOf(known.get(family) ?? 0, top)).join('') + (isCut ? more : '');
    },
    paint: (text) => Array.from(text, (block) => painted(block, paint)).join(''),
    legend: families.length === 0 ? null : legendOf(shown, families.length, top),
  };
}

function blockOf(share: number, top: number): string {
  if (share <= 0 || top <= 0) return none;
  return blocks[Math.min(blocks.length, Math.ceil((share / top) * blocks.length)) - 1] ?? none;
}

function painted(block: string, paint: Paint): string {
  const height = (blocks as readonly string[]).indexOf(block);
  if (height < 0) return block === none ? paint.dim(block) : block;
  return [paint.blue, paint.cyan, paint.green, paint.yellow][Math.floor(height / 2)]?.(block) ?? block;
}

function legendOf(shown: readonly string[], families: number, top: number): string {
  const names = shown.map(visible).join(' ');
  const rest = shown.length < families ? ` … (${families} families; icecore show RUN@STAGE has them all)` : '';
  return `mix: shares of the training data, a block a family: ${names}${rest}; ${blocks[7]} is ${percent(top)} %, ${none} none.`;
}
