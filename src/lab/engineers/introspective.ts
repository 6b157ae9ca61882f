// An engineer that asks a snapshot of the policy how sure it is of tasks that nobody judged, and reads the context for all
// that it can be told. The same code is asked with the untrained base and with the current checkpoint.

import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { BadConfiguration, type Configuration, type Environment, type Task } from '../environments/environment.ts';
import { withKnob } from '../environments/knobs.ts';
import type { Checkpoint, Policy, Sureness } from '../policies/policy.ts';
import { type Belief, type Evidence, evidenceIn, percent, spread, type Way } from './beliefs.ts';
import { alike, withShares } from './blind.ts';
import { type Answer, type Engineer, EngineerFailed, type ProposalRequest } from './engineer.ts';
import { redesigned, type Setting, type Situation, situationOf, unchanged } from './redesign.ts';
import { reckoned, solvedIn, withSpread } from './rules.ts';
import {
  type Direction,
  directionFor,
  isFavoured,
  keptAsItWorks,
  provoked,
  settingsFor,
  type Turn,
  turnable,
  turned,
  vetoOn,
} from './turning.ts';

const reads = ['training', 'stats', 'behaviour', 'failures', 'history'];

interface IntrospectiveOptions {
  /** As which it is known: base, checkpoint, checkpoint@2. */
  readonly identity: string;
  readonly environment: Pick<Environment, 'descriptor' | 'generate'>;
  readonly policyOf: (checkpoint: Checkpoint) => Promise<Policy>;
}

export function openIntrospective({ identity, environment, policyOf }: IntrospectiveOptions): Engineer {
  return {
    identity: { name: identity, version: '3', reads },
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
  const believed = reckoned(descriptor, evidence).map((shown) => together(shown, own.get(shown.family), scale));
  const situation = situationOf(withSpread(believed, evidence), evidence);
  if (situation === null) return { proposal: unchanged(request) };
  const settings =
    snapshot === null || own.size === 0
      ? settingsFor(request, situation)
      : await preferred(request, snapshot, { situation, outlooks: own, scale });
  return { proposal: redesigned(request, situation, settings, saysOf(request, evidence, own.size > 0)) };
}

/** Only of what was shown: a reason from a module that was left out would be invented. */
function saysOf({ descriptor, context }: ProposalRequest, evidence: Evidence, wasAsked: boolean): string {
  const shown = (context?.modules ?? []).some(({ module, facts }) => reads.includes(module) && facts.length > 0);
  if (!wasAsked) return 'data where there is most to learn, by what is shown alone: no checkpoint says how sure it is';
  const of = descriptor.families.map(({ family }) => evidence.of(family));
  const reasons = [
    'more data where the checkpoint is uncertain',
    ...(of.some((one) => solvedIn(one) !== null) ? ['tasks are solved about half of the time'] : []),
    ...(of.some(({ signal }) => signal !== null) ? ['training had something to teach'] : []),
  ];
  return shown ? reasons.join(', and where ') : `${reasons.join()}; nothing else was shown`;
}

/** Nothing follows about the engineer from a snapshot that cannot be read. */
function unreadable(fault: unknown): unknown {
  if (!(fault instanceof IcecoreError)) return fault;
  return new EngineerFailed('unavailable', fault.message, { remedy: fault.remedy });
}

// What a snapshot thinks of tasks it never tried: candidates are generated, it plans them, and says how sure it is. Whether
// its plans are any good is not looked at.

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
  /** It says nothing of how sure it is. Plans may cost money: it is not asked for more. */
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
   * What it expects of each task, from 0: what it thinks it will earn, or, where it has no notion of that, how likely it
   * deems its own decisions. Empty where there are no such tasks, or it says nothing of how sure it is.
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

// Beliefs of an engineer that can ask itself: what the snapshot expects of tasks as they are generated now, put together
// with what the context shows.

/** Tasks of each family it is asked about. */
const tasksPerBelief = 24;

/** Without anything to measure it by, so much expected on average is taken for working. */
const sure = 0.7;

/** What it expects of tasks, as rates, and how much they would teach it: most where it is of two minds about each. */
interface Outlook {
  readonly rate: number;
  readonly worth: number;
}

/** By family; none where it says nothing of how sure it is. */
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

/** What is shown of a family and what the snapshot expects of it count the same. */
function together(shown: Belief, own: Outlook | undefined, scale: Scale): Belief {
  if (own === undefined) return shown;
  const says = `the checkpoint expects to solve ${percent(own.rate)} of such tasks`;
  return {
    family: shown.family,
    rate: shown.rate === null ? own.rate : (shown.rate + own.rate) / 2,
    worth: shown.worth === null ? own.worth : (shown.worth + own.worth) / 2,
    works: shown.rate === null ? own.rate >= sure : shown.works,
    cites: [...shown.cites, ...(scale.cites.get(shown.family) ?? [])],
    reason: shown.reason === '' ? says : `${shown.reason}; ${says}`,
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

// What a snapshot expects to earn is no rate: rewards have a scale of their own, and some snapshots think too well of
// themselves. Where a context shows both what it expected and what came of it, the one is measured by the other.

interface Scale {
  /** By so much expectations are multiplied to be rates. */
  readonly factor: number;
  /** By family. */
  readonly cites: ReadonlyMap<string, readonly string[]>;
}

/** It is never taken to mean more than this many times, or less than one part in as many, of what it says. */
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

// Knobs by what the snapshot thinks of them: candidates are made with each knob turned to either side, and a knob goes where
// the snapshot is less certain than it is now. How it fails leans the scales where a context shows that.

/** Tasks of each candidate. */
const tasksPerCandidate = 16;
/** A difference in worth of less than this is not worth a change. */
const margin = 0.08;
/** Of rates, so much is none. */
const chance = 0.02;
/** What it is worth to follow the failures of a family, were all of one kind. */
const lean = 0.16;

interface Known {
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

async function preferred(request: ProposalRequest, snapshot: Snapshot, known: Known): Promise<Setting[]> {
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
  /** Of tasks as they are made now. */
  readonly now: Outlook;
}

async function bestTurn(
  request: ProposalRequest,
  snapshot: Snapshot,
  known: Known,
  question: Question,
): Promise<Candidate | null> {
  // More data comes before easier tasks, as it does where there is nobody to ask.
  const easier = isFavoured(request, question.belief.family)
    ? await candidate(request, snapshot, known, question, 'easier')
    : null;
  const harder = await candidate(request, snapshot, known, question, 'harder');
  return harder === null || (easier !== null && easier.gain >= harder.gain) ? easier : harder;
}

/** Null where it is not worth it. */
async function candidate(
  request: ProposalRequest,
  snapshot: Snapshot,
  { situation, scale }: Known,
  { belief, knob, now }: Question,
  direction: Direction,
): Promise<Candidate | null> {
  const { family } = belief;
  const turn = turned(request.current, knob, direction);
  if (turn === null) return null;
  const configuration = withKnob(request.current, knob, turn.to);
  const seed = seedOf(request, knob.name, direction);
  const expected = await snapshot.expectations({ family, configuration, count: tasksPerCandidate, seed });
  if (expected.length === 0) return null;
  const outlook = outlookOn(expected, scale);
  // Solved more often the harder they are: that is chance.
  if ((outlook.rate - now.rate) * (direction === 'harder' ? 1 : -1) > chance) return null;
  const follows = directionFor(request, belief) === direction;
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
