// Pictures of rollouts for the page of a report. A ledger has drawings in characters only: pictures are drawn when the report
// is made, by an environment that is registered here, so that no image from a stranger's ledger reaches a page.
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { DrawnFailure, Report, StoryEntry } from '../../../schemas/report-output.ts';
import type { WhyExemplar } from '../../../schemas/why-output.ts';
import type { Drawing } from '../../lab/environments/environment.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import { rolloutsIn } from '../../producers/summaries/evidence-sums.ts';
import type { Events } from '../why/evidence.ts';
import type { Drawer } from '../why/rollouts.ts';
import { newExemplars } from './changes.ts';

export interface PictureSources {
  readonly ledger: Ledger;
  readonly read: RunRead;
  readonly story: readonly StoryEntry[];
  readonly drawn: readonly DrawnFailure[];
  readonly events: Events;
  readonly drawer: Drawer;
}

type Pictures = Pick<Report, 'pictures' | 'replay'>;
type Picture = Pictures['pictures'][number];

/** More pictures than these make a page slow to open; the others stay drawings in characters. */
const mostPictures = 60;
/** The same for a single picture, in characters of its SVG. */
const longestSvg = 300_000;

export async function picturesOf(sources: PictureSources): Promise<Pictures> {
  const { story, drawn } = sources;
  const replay = await replayOf(sources);
  const exemplars = story.flatMap((entry) => newExemplars(entry, story).map(({ rollout }) => rollout.event));
  const ids = new Set([...exemplars, ...drawn.map(({ rollout }) => rollout)]);
  const pictures: Picture[] = replay === null ? [] : [...replay.pictures];
  for (const rollout of ids) {
    if (pictures.length >= mostPictures) break;
    if (pictures.some((one) => one.rollout === rollout)) continue;
    const picture = await pictureOf(rollout, sources);
    if (picture !== null) pictures.push({ rollout, svg: picture.svg, animation: null });
  }
  return { pictures, replay: replay?.replay ?? null };
}

type WithSvg = Drawing & { readonly svg: string };

async function pictureOf(rollout: string, { events, drawer, read }: PictureSources): Promise<WithSvg | null> {
  const data = await events.dataOf(rollout, 'RolloutRecorded');
  if (data === null) return null;
  const summaries = read.stages.flatMap((stage) => stage.summaries);
  const exemplar = summaries.flatMap(({ data: { exemplars } }) => exemplars).find((one) => one.rollout === rollout);
  const failure = exemplar?.failure === undefined ? null : await events.dataOf(exemplar.failure, 'FailureRecorded');
  return await drawnNow(drawer, data, failure);
}

/** Null if it cannot be drawn: a report never fails for a picture. */
async function drawnNow(
  drawer: Drawer,
  rollout: EventData['RolloutRecorded'],
  failure: EventData['FailureRecorded'] | null,
): Promise<WithSvg | null> {
  try {
    const drawing = await drawer.picture(rollout, failure);
    const svg = drawing?.svg;
    if (drawing === null || svg === undefined || svg.length > longestSvg) return null;
    return { ...drawing, svg };
  } catch (error) {
    if (error instanceof IcecoreError) return null;
    throw error;
  }
}

// The replay: a failed rollout that a decision cites, and a solved one of the same family from the stage that followed. The same
// task is best; the probe pool does not change between stages.

interface Candidate {
  readonly stage: number;
  readonly family: string;
  readonly gain: number;
  readonly exemplar: WhyExemplar;
}

/** Reading the evidence of a stage takes time, so only the most promising stages are searched. */
const mostSearched = 2;
/** The same for a single stage, in rollouts. */
const mostRollouts = 20_000;

async function replayOf(
  sources: PictureSources,
): Promise<{ readonly replay: Replay; readonly pictures: Picture[] } | null> {
  const candidates = candidatesIn(sources.story);
  const stages = [...new Set(candidates.map(({ stage }) => stage))].slice(0, mostSearched);
  for (const stage of stages) {
    const found = await pairIn(
      stage,
      candidates.filter((one) => one.stage === stage),
      sources,
    );
    if (found !== null) return found;
  }
  return null;
}

type Replay = NonNullable<Pictures['replay']>;

/** The largest improvement first. */
function candidatesIn(story: readonly StoryEntry[]): readonly Candidate[] {
  const all = story.flatMap((entry) =>
    newExemplars(entry, story).flatMap((exemplar): Candidate[] => {
      const { family } = exemplar;
      const gain = entry.effects.find((one) => one.family === family)?.validation.gain ?? 0;
      const isOfStageBefore = exemplar.stage === entry.stage - 1;
      return family === null || gain <= 0 || !isOfStageBefore ? [] : [{ stage: entry.stage, family, gain, exemplar }];
    }),
  );
  return all.toSorted((a, b) => b.gain - a.gain);
}

async function pairIn(stage: number, candidates: readonly Candidate[], sources: PictureSources) {
  const solved = await solvedIn(stage, sources);
  const pairs: { readonly candidate: Candidate; readonly solved: Solved; readonly isSameTask: boolean }[] = [];
  for (const candidate of candidates) {
    const data = await sources.events.dataOf(candidate.exemplar.rollout.event, 'RolloutRecorded');
    const digest = data?.task?.digest;
    const same = solved.find((one) => digest !== undefined && one.data.task?.digest === digest);
    const found = same ?? solved.find(({ family }) => family === candidate.family);
    if (found !== undefined) pairs.push({ candidate, solved: found, isSameTask: same !== undefined });
  }
  for (const pair of pairs.toSorted((a, b) => Number(b.isSameTask) - Number(a.isSameTask))) {
    const { candidate, isSameTask } = pair;
    const failed = candidate.exemplar.rollout.event;
    const before = await pictureOf(failed, sources);
    const after = await drawnNow(sources.drawer, pair.solved.data, null);
    if (before?.animation === undefined || after?.animation === undefined) continue;
    return {
      replay: { stage, family: candidate.family, failed, solved: pair.solved.id, isSameTask, drawing: after.text },
      pictures: [
        { rollout: failed, svg: before.svg, animation: before.animation },
        { rollout: pair.solved.id, svg: after.svg, animation: after.animation },
      ],
    };
  }
  return null;
}

interface Solved {
  readonly id: string;
  readonly family: string;
  readonly data: EventData['RolloutRecorded'];
}

/** The solved probes of a stage; none if its evidence is incomplete. */
async function solvedIn(stage: number, { ledger, read }: PictureSources): Promise<readonly Solved[]> {
  const sealed = read.stages.find((one) => one.stage === stage)?.sealed?.data;
  if (sealed === undefined || read.descriptor === null) return [];
  const found: Solved[] = [];
  let searched = 0;
  try {
    const probes = rolloutsIn({ ledger, sealed, descriptor: read.descriptor, splits: new Set(['probe']) });
    for await (const { id, family, data, failureClass } of probes) {
      if (++searched > mostRollouts) break;
      if (failureClass === null && data.error === undefined) found.push({ id, family, data });
    }
  } catch (error) {
    if (!(error instanceof IcecoreError)) throw error;
    return [];
  }
  return found;
}
