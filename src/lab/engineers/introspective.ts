// An engineer that asks a checkpoint of the policy how sure it is about unjudged tasks, and combines that with the
// context. The engineers `base` and `checkpoint` share this code.

import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import {
  BadConfiguration,
  type Configuration,
  type Environment,
  type Sureness,
  type Task,
} from '../environments/environment.ts';
import { withKnob } from '../environments/knobs.ts';
import type { Checkpoint, Policy } from '../policies/policy.ts';
import { type Belief, type Evidence, evidenceIn, percent, spread, type Way } from './beliefs.ts';
import { alike, withShares } from './blind.ts';
import { type Answer, type Engineer, EngineerFailed, type ProposalRequest } from './engineer.ts';
import {
  type Direction,
  directionFor,
  failuresWords,
  isFavoured,
  keptAsItWorks,
  provoked,
  settingsFor,
  stepKnob,
  type Turn,
  turnable,
  vetoOn,
} from './knob-steps.ts';
import { type Mastery, practiceFor } from './practice.ts';
import { type Grounds, redesigned, type Setting, type Situation, situationOf, unchanged } from './redesign.ts';
import { computedBeliefs, solvedIn, withSpread } from './rules.ts';

const reads = ['training', 'stats', 'behaviour', 'failures', 'history'];

interface IntrospectiveOptions {
  /** Its name: base, checkpoint, checkpoint@2. */
  readonly identity: string;
  readonly environment: Pick<Environment, 'descriptor' | 'generate'>;
  readonly policyOf: (checkpoint: Checkpoint) => Promise<Policy>;
}

export function openIntrospective({ identity, environment, policyOf }: IntrospectiveOptions): Engineer {
  return {
    identity: { name: identity, version: '7', reads },
    reads,
    propose: async (request) => {
      request.signal?.throwIfAborted();
      if (request.checkpoint === null) return await answerTo(request, null);
      const policy = await policyOf(request.checkpoint).catch((fault: unknown) => {
        request.signal?.throwIfAborted();
        throw unreadable(fault);
      });
      try {
        return await answerTo(request, new Snapshot(environment, policy, request.signal));
      } finally {
        await policy.close();
      }
    },
    close: async () => {},
  };
}

async function answerTo(request: ProposalRequest, snapshot: Snapshot | null): Promise<Answer> {
  const { descriptor, context } = request;
  const evidence = evidenceIn(context, reads);
  const scale = scaleFrom(descriptor, evidence);
  const own = snapshot === null ? new Map() : await outlooks(request, snapshot, scale);
  const believed = computedBeliefs(descriptor, evidence).map((shown) =>
    combinedBelief(shown, own.get(shown.family), scale),
  );
  const situation = situationOf(withSpread(believed, evidence), evidence);
  if (situation === null) return { proposal: unchanged(request) };
  const settings =
    snapshot === null || own.size === 0
      ? [...settingsFor(request, situation), ...(await practiceFor(request, situation))]
      : [
          ...(await preferred(request, snapshot, { situation, outlooks: own, scale })),
          ...(await practiceFor(request, situation, masteryBy(request, snapshot, scale))),
        ];
  return {
    proposal: redesigned(
      request,
      situation,
      settings,
      groundsOf(request, evidence, { hasCheckpoint: snapshot !== null, hasAnswered: own.size > 0 }),
    ),
  };
}

/** Uses only what was shown: a reason from a truncated module would be invented. */
function groundsOf(
  { descriptor, context }: ProposalRequest,
  evidence: Evidence,
  { hasCheckpoint, hasAnswered }: { readonly hasCheckpoint: boolean; readonly hasAnswered: boolean },
): Grounds {
  if (!hasAnswered) {
    const reservation = hasCheckpoint
      ? 'the checkpoint does not say how sure it is, so only the context counts'
      : 'without a checkpoint only the context counts';
    return { data: 'data where there is most to learn', reservation };
  }
  const shown = (context?.modules ?? []).some(({ module, facts }) => reads.includes(module) && facts.length > 0);
  const of = descriptor.families.map(({ family }) => evidence.of(family));
  const reasons = [
    'the checkpoint is uncertain',
    ...(of.some((one) => solvedIn(one) !== null) ? ['about half of the attempts succeed'] : []),
    ...(of.some(({ signal }) => signal !== null) ? ['training had something to teach'] : []),
  ];
  const data = `data where there is most to learn: where ${joinWithAnd(reasons)}`;
  return { data, reservation: shown ? null : 'nothing else was shown' };
}

/** An unreadable checkpoint says nothing about the engineer. */
function unreadable(fault: unknown): unknown {
  if (!(fault instanceof IcecoreError)) return fault;
  return new EngineerFailed('unavailable', fault.message, { remedy: fault.remedy });
}

// A checkpoint's view of tasks it has never tried: it plans generated candidates and reports how sure it is. The plans
// themselves are not judged.

interface Candidates {
  readonly family: string;
  readonly configuration: Configuration;
  readonly count: number;
  readonly seed: string;
}

class Snapshot {
  readonly #environment: Pick<Environment, 'descriptor' | 'generate'>;
  readonly #policy: Policy;
  readonly #signal: AbortSignal | undefined;
  /** It reports no certainty. Plans may cost money, so it is not asked again. */
  #isMute = false;

  constructor(
    environment: Pick<Environment, 'descriptor' | 'generate'>,
    policy: Policy,
    signal: AbortSignal | undefined,
  ) {
    this.#environment = environment;
    this.#policy = policy;
    this.#signal = signal;
  }

  /**
   * An expectation for each task, at least 0: the expected reward, or else the likelihood of its own actions. Empty if
   * there are no such tasks or the checkpoint reports no certainty.
   */
  async expectations(candidates: Candidates): Promise<number[]> {
    if (this.#isMute) return [];
    const signal = this.#signal === undefined ? {} : { signal: this.#signal };
    const tasks = await this.#tasks(candidates, signal);
    const expected: number[] = [];
    for await (const { sureness, fault } of this.#policy.plan({ tasks, seed: candidates.seed, ...signal })) {
      if (sureness !== undefined) expected.push(expectationOf(sureness));
      else if (fault === undefined) this.#isMute = true;
      if (this.#isMute) break;
    }
    return expected;
  }

  async #tasks({ family, configuration, count, seed }: Candidates, signal: { signal?: AbortSignal }): Promise<Task[]> {
    const alone = onlyOf(this.#environment.descriptor, configuration, family);
    const tasks: Task[] = [];
    try {
      const made = this.#environment.generate({ configuration: alone, split: 'train', count, seed, ...signal });
      for await (const task of made) if (task.family === family) tasks.push(task);
    } catch (error) {
      if (!(error instanceof BadConfiguration)) throw error;
    }
    return tasks;
  }
}

function expectationOf({ value, logProbability }: Sureness): number {
  return Math.max(value ?? Math.exp(logProbability), 0);
}

/** The same configuration with all shares given to one family. */
function onlyOf(descriptor: Descriptor, configuration: Configuration, family: string): Configuration {
  return withShares(descriptor, configuration, alike([{ family }]));
}

// Beliefs of an engineer that can ask itself: the checkpoint's expectations of newly generated tasks, combined with the
// context.

/** Tasks per family that the checkpoint plans. */
const tasksPerBelief = 24;

/** The mean expectation that counts as working when nothing is available to calibrate it. */
const sure = 0.7;

/** Expected success rates and how much the tasks would teach; the maximum is where the checkpoint is least certain. */
interface Outlook {
  readonly rate: number;
  readonly worth: number;
}

/** By family; empty if the checkpoint reports no certainty. */
async function outlooks(
  request: ProposalRequest,
  snapshot: Snapshot,
  scale: Scale,
): Promise<ReadonlyMap<string, Outlook>> {
  const known = new Map<string, Outlook>();
  for (const { family } of request.descriptor.families) {
    const seed = seedOf(request, family);
    const expected = await snapshot.expectations({
      family,
      configuration: request.current,
      count: tasksPerBelief,
      seed,
    });
    if (expected.length > 0) known.set(family, outlookOn(expected, scale));
  }
  return known;
}

function seedOf({ seed, stage, sample }: ProposalRequest, ...purpose: readonly string[]): string {
  return ['introspective', seed, stage, sample, ...purpose].join('/');
}

function outlookOn(expected: readonly number[], { factor }: Scale): Outlook {
  const rates = expected.map((one) => Math.min(one * factor, 1));
  return { rate: mean(rates), worth: mean(rates.map(spread)) };
}

/** The context's evidence and the checkpoint's expectation of a family have equal weight. */
function combinedBelief(shown: Belief, own: Outlook | undefined, scale: Scale): Belief {
  if (own === undefined) return shown;
  const says = `the checkpoint expects to solve ${percent(own.rate)} of such tasks`;
  return {
    family: shown.family,
    rate: shown.rate === null ? own.rate : (shown.rate + own.rate) / 2,
    worth: shown.worth === null ? own.worth : (shown.worth + own.worth) / 2,
    works: shown.rate === null ? own.rate >= sure : shown.works,
    cites: [...shown.cites, ...(scale.cites.get(shown.family) ?? [])],
    reason: [shown.reason, says].filter(Boolean).join('; '),
    success: [shown.success, says].filter(Boolean).join('; '),
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

// An expected reward is not a success rate: rewards have their own scale, and some checkpoints are overconfident. Where
// a context shows both expectations and results, the results calibrate the expectations.

interface Scale {
  /** Expectations times this factor are success rates. */
  readonly factor: number;
  /** By family. */
  readonly cites: ReadonlyMap<string, readonly string[]>;
}

/** The factor is clamped to between 1 / this and this. */
const most = 4;

function scaleFrom({ families }: Descriptor, evidence: Evidence): Scale {
  let [expected, came] = [0, 0];
  const cites = new Map<string, readonly string[]>();
  for (const { family } of families) {
    const value = evidence.mean(family, 'value');
    const solved = solvedIn(evidence.of(family));
    if (value === null || solved === null || value.value <= 0) continue;
    expected += value.value;
    came += solved.figure.value;
    cites.set(family, [value.evidenceId]);
  }
  if (expected === 0) return { factor: 1, cites };
  return { factor: Math.min(Math.max(came / expected, 1 / most), most), cites };
}

/** What the checkpoint expects of candidate tasks that practise one thing. */
function masteryBy(request: ProposalRequest, snapshot: Snapshot, scale: Scale): Mastery {
  return async ({ knob }, configuration) => {
    const { family } = knob;
    if (family === null) return null;
    const seed = seedOf(request, knob.name, 'alone');
    const expected = await snapshot.expectations({ family, configuration, count: tasksPerCandidate, seed });
    return expected.length === 0 ? null : outlookOn(expected, scale).rate;
  };
}

// Chooses knob settings by the checkpoint's certainty: tries each knob one step in both directions and moves it where
// the checkpoint is less certain than now. Failures in the context add weight.

/** Tasks of each candidate. */
const tasksPerCandidate = 16;
/** A smaller difference in worth is not worth a change. */
const margin = 0.08;
/** A smaller difference between rates is chance. */
const chance = 0.02;
/** The weight of a family's failures if all of them were of one class. */
const lean = 0.16;

interface SnapshotFacts {
  readonly situation: Situation;
  /** For tasks generated with the current configuration. */
  readonly outlooks: ReadonlyMap<string, Outlook>;
  readonly scale: Scale;
}

interface Candidate {
  readonly turn: Turn;
  readonly direction: Direction;
  readonly outlook: Outlook;
  readonly gain: number;
  /** The failure classes it responds to. */
  readonly ways: readonly Way[];
}

async function preferred(request: ProposalRequest, snapshot: Snapshot, known: SnapshotFacts): Promise<Setting[]> {
  const settings: Setting[] = [];
  for (const belief of known.situation.beliefs.values()) {
    const now = known.outlooks.get(belief.family);
    if (now === undefined) continue;
    for (const knob of turnable(request.descriptor, belief.family)) {
      const best = await bestTurn(request, snapshot, known, { belief, knob, now });
      const setting =
        best === null ? keptAsItWorks(knob, belief) : settingOf(request, best, now, belief, known.situation.evidence);
      if (setting !== null) settings.push(setting);
    }
  }
  return settings;
}

interface Question {
  readonly belief: Belief;
  readonly knob: Knob;
  /** For tasks generated with the current configuration. */
  readonly now: Outlook;
}

async function bestTurn(
  request: ProposalRequest,
  snapshot: Snapshot,
  known: SnapshotFacts,
  question: Question,
): Promise<Candidate | null> {
  // More data comes before easier tasks, as in the engineers that ask no checkpoint.
  const easier = isFavoured(request, question.belief.family)
    ? await candidate(request, snapshot, known, question, 'easier')
    : null;
  const harder = await candidate(request, snapshot, known, question, 'harder');
  return harder === null || (easier !== null && easier.gain >= harder.gain) ? easier : harder;
}

/** Null if it is not worth a change. */
async function candidate(
  request: ProposalRequest,
  snapshot: Snapshot,
  { situation, scale }: SnapshotFacts,
  { belief, knob, now }: Question,
  direction: Direction,
): Promise<Candidate | null> {
  const { family } = belief;
  const turn = stepKnob(request.current, knob, direction);
  if (turn === null) return null;
  const configuration = withKnob(request.current, knob, turn.to);
  const seed = seedOf(request, knob.name, direction);
  const expected = await snapshot.expectations({ family, configuration, count: tasksPerCandidate, seed });
  if (expected.length === 0) return null;
  const outlook = outlookOn(expected, scale);
  // A higher expected success rate on harder tasks is chance.
  if ((outlook.rate - now.rate) * (direction === 'harder' ? 1 : -1) > chance) return null;
  const follows = directionFor(request, belief) === direction;
  const ways = follows ? (provoked(knob, situation.evidence.of(family).ways) ?? []) : [];
  const gain = outlook.worth - now.worth + lean * partOf(ways);
  return gain < margin ? null : { turn, direction, outlook, gain, ways };
}

/** The share of all failures. */
function partOf(ways: readonly Way[]): number {
  return Math.min(
    ways.reduce((all, { value }) => all + value, 0),
    1,
  );
}

function settingOf(
  request: ProposalRequest,
  candidate: Candidate,
  now: Outlook,
  belief: Belief,
  evidence: Evidence,
): Setting {
  const { turn, direction, ways } = candidate;
  const veto = vetoOn(request, turn, evidence.of(belief.family));
  if (veto !== null) return veto;
  const reason = `${direction}: ${whyWords(candidate, now, belief).join('; ')}`;
  return {
    knob: turn.knob,
    to: turn.to,
    cites: [...belief.cites, ...ways.map(({ evidenceId }) => evidenceId)],
    reason,
  };
}

/** Equal figures explain nothing and are left out; a change that is worth making differs in at least one. */
function whyWords({ outlook, ways }: Candidate, now: Outlook, { success }: Belief): readonly string[] {
  const fails = ways.map(({ failureClass }) => failureClass);
  return [
    ...(ways.length === 0 ? [] : [success, failuresWords(partOf(ways), fails)]),
    ...compared(now.rate, outlook.rate, (is, was) => `the checkpoint expects to solve ${is} instead of ${was}`),
    ...compared(
      now.worth,
      outlook.worth,
      (is, was) => `it expects ${is} of the largest possible learning signal instead of ${was}`,
    ),
  ];
}

function compared(was: number, is: number, words: (is: string, was: string) => string): readonly string[] {
  return percent(was) === percent(is) ? [] : [words(percent(is), percent(was))];
}
