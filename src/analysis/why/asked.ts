// What somebody asks about: the stage whose configuration is to be explained, and the knobs of it, by name or by family.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { listed } from '../../base/listed.ts';
import { configurationOf } from '../../producers/history/configurations.ts';
import { type RunRead, stageOf } from '../../producers/history/run-read.ts';
import type { StageHistory } from '../../producers/run/history.ts';

/** The last stage that was decided on; where no decision was recorded, the last there is. Throws NothingDecided. */
export function lastDecided(read: RunRead): number {
  const last = Math.max(0, ...read.adoptions.keys()) || (read.history.stages.at(-1)?.stage ?? 0);
  if (last === 0) throw new NothingDecided(read);
  return last;
}

/** The stage before the one that is asked about, and itself; null where they have not begun. Throws NoSuchStage. */
export function stagesAbout(read: RunRead, stage: number): Record<'before' | 'itself', StageHistory | null> {
  const [before, itself] = [stage - 1, stage].map((at) => read.history.stages.find((one) => one.stage === at) ?? null);
  const isDecided = read.adoptions.has(stage) || (before?.proposals ?? []).length > 0;
  if (itself === null && isDecided !== true) stageOf(read, stage);
  return { before: before ?? null, itself: itself ?? null };
}

export interface NamedKnob {
  readonly knob: string;
  readonly family: string | null;
}

/** All knobs that a run speaks of, as far as this stage; those of its descriptor first. */
export function knobsOf(read: RunRead, stage: number): readonly NamedKnob[] {
  const described = read.descriptor?.knobs.map(({ name, family }) => ({ knob: name, family })) ?? [];
  const set = [stage - 1, stage].flatMap((at) => configurationOf(read, at)?.knobs ?? []);
  const turned = [...(read.adoptions.get(stage)?.data.changes ?? [])];
  const known = new Map<string, NamedKnob>();
  for (const { knob, family } of [...described, ...set, ...turned]) {
    if (!known.has(knob)) known.set(knob, { knob, family });
  }
  return [...known.values()];
}

/** Those that are meant by a knob's name or by a family's; a knob's own name comes first. Throws UnknownKnob. */
export function knobsMeant(asked: string, read: RunRead, stage: number): readonly NamedKnob[] {
  const known = knobsOf(read, stage);
  const own = known.filter(({ knob }) => knob === asked);
  if (own.length > 0) return own;
  const ofFamily = known.filter(({ family }) => family === asked);
  if (ofFamily.length > 0) return ofFamily;
  throw new UnknownKnob(asked, read.name, known);
}

/** So many knobs are named. */
const mostKnobs = 12;

export class UnknownKnob extends IcecoreError {
  override readonly name = 'UnknownKnob';

  constructor(asked: string, run: string, known: readonly NamedKnob[]) {
    const families = [...new Set(known.flatMap(({ family }) => family ?? []))];
    const names = known.map(({ knob }) => knob);
    const near = nearestNames(asked, [...names, ...families]);
    super('not-found', `run ${run} has no knob "${asked}", and no family of knobs of that name`, {
      facts: { asked, run, nearest: near, families },
      remedy:
        near.length > 0
          ? `Did you mean ${near.join(' or ')}?`
          : known.length === 0
            ? 'Nothing was recorded of its configurations.'
            : `There are ${listed(names, mostKnobs)}.`,
    });
  }
}

export class NothingDecided extends IcecoreError {
  override readonly name = 'NothingDecided';

  constructor({ run, name }: RunRead) {
    super('not-found', `run ${name} has no decision yet: nothing of its configurations was recorded`, {
      facts: { run },
      remedy: 'icecore show shows what there is of it.',
    });
  }
}
