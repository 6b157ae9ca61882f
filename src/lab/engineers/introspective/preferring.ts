// Knobs by what the snapshot thinks of them: candidates are made with each knob turned to either side, and a knob goes where
// the snapshot is less certain than it is now. How it fails leans the scales where a context shows that.
import type { Knob } from '../../../../schemas/environment.ts';
import { withKnob } from '../../environments/knobs.ts';
import type { Asked } from '../engineer.ts';
import { type Belief, percent } from '../redesign/belief.ts';
import { directionFor, isFavoured, keptAsItWorks, vetoOn } from '../redesign/easing.ts';
import type { Evidence, Way } from '../redesign/evidence.ts';
import type { Setting } from '../redesign/redesign.ts';
import type { Situation } from '../redesign/situation.ts';
import { type Direction, provoked, type Turn, turnable, turned } from '../redesign/turning.ts';
import type { Snapshot } from './asking.ts';
import { type Outlook, outlookOn, seedOf } from './believing.ts';
import type { Scale } from './scale.ts';

/** Tasks of each candidate. */
const tasks = 16;
/** A difference in worth of less than this is not worth a change. */
const margin = 0.08;
/** Of rates, so much is none. */
const chance = 0.02;
/** What it is worth to follow the failures of a family, were all of one kind. */
const lean = 0.16;

export interface Known {
  readonly situation: Situation;
  /** Of tasks as they are made now. */
  readonly outlooks: ReadonlyMap<string, Outlook>;
  readonly scale: Scale;
}

interface Candidate {
  readonly turn: Turn;
  readonly direction: Direction;
  readonly outlook: Outlook;
  readonly gain: number;
  /** The ways to fail that it follows. */
  readonly ways: readonly Way[];
}

export async function preferred(asked: Asked, snapshot: Snapshot, known: Known): Promise<Setting[]> {
  const settings: Setting[] = [];
  for (const belief of known.situation.beliefs.values()) {
    const now = known.outlooks.get(belief.family);
    if (now === undefined) continue;
    for (const knob of turnable(asked.descriptor, belief.family)) {
      const best = await bestTurn(asked, snapshot, known, { belief, knob, now });
      const setting =
        best === null ? keptAsItWorks(knob, belief) : settingOf(asked, best, now, belief, known.situation.evidence);
      if (setting !== null) settings.push(setting);
    }
  }
  return settings;
}

interface Question {
  readonly belief: Belief;
  readonly knob: Knob;
  /** Of tasks as they are made now. */
  readonly now: Outlook;
}

async function bestTurn(asked: Asked, snapshot: Snapshot, known: Known, question: Question): Promise<Candidate | null> {
  // More data comes before easier tasks, as it does where there is nobody to ask.
  const easier = isFavoured(asked, question.belief.family)
    ? await candidate(asked, snapshot, known, question, 'easier')
    : null;
  const harder = await candidate(asked, snapshot, known, question, 'harder');
  return harder === null || (easier !== null && easier.gain >= harder.gain) ? easier : harder;
}

/** Null where it is not worth it. */
async function candidate(
  asked: Asked,
  snapshot: Snapshot,
  { situation, scale }: Known,
  { belief, knob, now }: Question,
  direction: Direction,
): Promise<Candidate | null> {
  const { family } = belief;
  const turn = turned(asked.current, knob, direction);
  if (turn === null) return null;
  const configuration = withKnob(asked.current, knob, turn.to);
  const seed = seedOf(asked, knob.name, direction);
  const expected = await snapshot.expectations({ family, configuration, count: tasks, seed });
  if (expected.length === 0) return null;
  const outlook = outlookOn(expected, scale);
  // Solved more often the harder they are: that is chance.
  if ((outlook.rate - now.rate) * (direction === 'harder' ? 1 : -1) > chance) return null;
  const follows = directionFor(asked, belief) === direction;
  const ways = follows ? (provoked(knob, situation.evidence.of(family).ways) ?? []) : [];
  const gain = outlook.worth - now.worth + lean * partOf(ways);
  return gain < margin ? null : { turn, direction, outlook, gain, ways };
}

/** Of all that fails. */
function partOf(ways: readonly Way[]): number {
  return Math.min(
    ways.reduce((all, { value }) => all + value, 0),
    1,
  );
}

function settingOf(asked: Asked, candidate: Candidate, now: Outlook, belief: Belief, evidence: Evidence): Setting {
  const { turn, direction, ways } = candidate;
  const veto = vetoOn(asked, turn, evidence.of(belief.family));
  if (veto !== null) return veto;
  const reason = `${direction}: ${whyWords(candidate, now).join('; ')}`;
  return {
    knob: turn.knob,
    to: turn.to,
    cites: [...belief.cites, ...ways.map(({ evidenceId }) => evidenceId)],
    reason,
  };
}

/** Figures that come out alike compare nothing, and are left out; what is worth a change differs in one of them. */
function whyWords({ outlook, ways }: Candidate, now: Outlook): readonly string[] {
  const compared = (was: number, is: number, words: (figure: string) => string): readonly string[] =>
    percent(was) === percent(is) ? [] : [`${words(percent(is))} instead of ${percent(was)}`];
  const fails = ways.map(({ failureClass }) => failureClass).join(' or ');
  return [
    ...compared(now.rate, outlook.rate, (rate) => `the checkpoint expects to solve ${rate} of such tasks`),
    ...compared(now.worth, outlook.worth, (worth) => `they teach ${worth} of the most a task can teach`),
    ...(ways.length === 0 ? [] : [`${percent(partOf(ways))} of what fails ends with ${fails}`]),
  ];
}
