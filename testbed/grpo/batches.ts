// The training tasks: instances of the configuration, task by task, deterministic in the seed. The instance of a task depends only on
// its position, so that several threads can each generate their own.

import { setImmediate } from 'node:timers/promises';
import { canonicalJson } from '../../schemas/canonical.ts';
import type { Judged, RolloutsInCommon } from '../../src/library/plugins/tools.ts';
import type { LakeConfiguration } from '../lake/configuration.ts';
import { batchOf } from '../lake/generator/generate.ts';
import { type Made, Maker } from '../lake/generator/maker.ts';
import { type Kind, kindName, type Order, type Slot, slotsOf } from '../lake/generator/orders.ts';
import { type Instance, pairOf } from '../lake/instance.ts';
import { type Failure, type Judgement, judge, stepsOf } from '../lake/judge.ts';
import { taskOf, waitsIn } from '../lake/tasks.ts';
import type { Walked } from '../neural/walk.ts';
import type { TrainingTask } from './learner.ts';
import { defaults, NothingToLearn, rewardOfValid, type Settings } from './settings.ts';

/** This number of tasks meets the configuration's shares, and every prefix does approximately; then it repeats. */
const round = 2 ** 26;

interface FamilyTask extends TrainingTask {
  /** The task family it belongs to. */
  readonly family: string;
  readonly made: Made;
}

export interface Curriculum {
  readonly configuration: LakeConfiguration;
  readonly seed: string;
  /** Names of kinds that do not exist or are too rare; they are skipped. */
  readonly missing: readonly string[];
}

/** Throws NothingToLearn if no instance of any requested kind can be made. */
export async function curriculumOf(
  configuration: LakeConfiguration,
  seed: string,
  signal?: AbortSignal,
): Promise<Curriculum> {
  const { orders, standIns } = ordersOf(configuration, seed);
  const maker = new Maker(seed, 'train');
  const kinds = new Map<string, Kind>();
  for (const { kind } of orders) for (const one of [kind, ...standIns(kind)]) kinds.set(kindName(one), one);
  const missing: string[] = [];
  for (const [name, kind] of kinds) {
    // Finding that a kind does not exist may take a second; signals are delivered only when the event loop runs.
    await setImmediate();
    signal?.throwIfAborted();
    if (maker.make({ kind, ordinal: 0 }) === null) missing.push(name);
  }
  if (missing.length === kinds.size) throw new NothingToLearn();
  return { configuration, seed, missing };
}

interface Orders {
  readonly orders: readonly Order[];
  readonly standIns: (kind: Kind) => readonly Kind[];
}

function ordersOf(configuration: LakeConfiguration, seed: string): Orders {
  const { orders, wanted } = batchOf(configuration, round, { split: 'train', seed });
  return { orders, standIns: wanted.standIns ?? (() => []) };
}

export class TrainingTasks {
  readonly #curriculum: Curriculum;
  readonly #missing: ReadonlySet<string>;
  readonly #standIns: (kind: Kind) => readonly Kind[];
  #rounds = -1;
  #slots: Iterator<Slot> | null = null;
  #maker: Maker | null = null;
  /** Sample groups up to this position are past. */
  #passed = 0;

  constructor(curriculum: Curriculum) {
    this.#curriculum = curriculum;
    this.#missing = new Set(curriculum.missing);
    this.#standIns = ordersOf(curriculum.configuration, curriculum.seed).standIns;
  }

  /** Positions must be requested in order and may be skipped. Null if there is no instance for the position. */
  at(place: number): FamilyTask | null {
    while (this.#passed < place) this.#next();
    const slot = this.#next();
    const made = this.#make(slot) ?? this.#standIn(slot);
    return made === null ? null : { instance: made.instance, cost: made.cost, family: String(made.kind.size), made };
  }

  #next(): Slot {
    const next = this.#slots?.next();
    if (next === undefined || next.done === true) {
      this.#begin();
      return this.#next();
    }
    this.#passed++;
    return next.value;
  }

  #begin(): void {
    const { configuration } = this.#curriculum;
    const seed = ++this.#rounds === 0 ? this.#curriculum.seed : `${this.#curriculum.seed}/${this.#rounds}`;
    this.#slots = slotsOf(ordersOf(configuration, seed).orders);
    this.#maker = new Maker(seed, 'train');
  }

  #standIn(slot: Slot): Made | null {
    let made: Made | null = null;
    for (const kind of this.#standIns(slot.kind)) made ??= this.#make({ ...slot, kind, standsIn: true });
    return made;
  }

  #make(slot: Slot): Made | null {
    if (this.#missing.has(kindName(slot.kind))) return null;
    return this.#maker?.make(slot) ?? null;
  }
}

// The policy's training rollouts, judged as by the lake, with the reward used for learning. There are very many, so each is written
// directly as canonical JSON in the thread that made it, without fields that follow from others: messages of failures, the ratio to the
// optimal cost, and reasons for missing scores.

interface LearntFrom {
  readonly task: FamilyTask;
  /** The position of the task in its training: its rollouts form one sample group. */
  readonly place: number;
  /** The number of the update, from 0. */
  readonly update: number;
  /** By sample. */
  readonly walks: readonly Walked[];
  readonly rewards: readonly number[];
}

/** As canonical JSON: members are in alphabetical order. */
export function rolloutsOf(
  { environment, policy, seed, split }: RolloutsInCommon,
  { task, place, update, walks, rewards }: LearntFrom,
): string[] {
  const { made, family } = task;
  const { id, digest = made.digest, facts, instance: inline } = taskOf(made, 'train', place);
  const of = `"task":${canonicalJson({ digest, facts, id, inline })},"trainingStep":${update + 1}`;
  const by = `"environment":${canonicalJson(environment)}`;
  const policyText = canonicalJson(policy);
  const end = `${seed === undefined ? '' : `"seed":${canonicalJson(seed)},`}"split":"${split}"`;
  return walks.map((walked, sample) => {
    const { plan, agentSteps, entropy: sum } = walked;
    const { outcome, cost, steps, failures } = walked.hasArrived ? solvedBy(walked) : judge(made.instance, plan);
    const entropy = agentSteps === 0 ? 0 : sum / agentSteps;
    const metrics =
      cost === null
        ? `"entropy":${entropy},"optimal":0,"steps":${steps}`
        : `"cost":${cost},"entropy":${entropy},"optimal":${Number(cost === made.cost)},"steps":${steps}`;
    return (
      `{"agentSteps":${agentSteps},"answer":${JSON.stringify(plan)},${by},${failuresText(failures, made.instance)}` +
      `"family":${canonicalJson(family)},` +
      `"metrics":{${metrics},"waits":${waitsIn(plan)}},"outcome":"${outcome}","policy":${policyText},` +
      `"reward":${rewards[sample] ?? 0},"sample":${sample},${end},"success":${cost !== null},${of}}`
    );
  });
}

/** The judgement of a valid plan, without executing it again. */
function solvedBy({ plan, cost }: Walked): Judgement {
  const steps = plan.reduce((most, moves) => Math.max(most, stepsOf(moves)), 0);
  return { outcome: 'valid', cost, steps, failures: [] };
}

function failuresText(failures: readonly Failure[], { size }: Instance): string {
  const [first] = failures;
  if (first === undefined) return '';
  const texts = failures.map(({ class: name, step, agents, cell }) => {
    const at = cell === null ? 'null' : JSON.stringify(pairOf(cell, size));
    const when = step === 0 ? '' : `,"step":${step}`;
    return `{"class":"${name}","details":{"agents":[${agents.join()}],"cell":${at}}${when}}`;
  });
  return `"failureClass":"${first.class}","failures":[${texts.join()}],`;
}

// The reward of a plan in the embedded trainer.

export const grpoComponent = 'grpo';

/** `settings`: from the recorded parameters of the trainer; older ones lack some. */
export function rewardOf(
  { success, metrics }: Pick<Judged, 'success' | 'metrics'>,
  { bonus = defaults.bonus, stepPenalty = defaults.stepPenalty }: Partial<Settings>,
): number {
  if (!success) return 0;
  const { cost, optimal } = metrics;
  return rewardOfValid(typeof cost === 'number' ? cost : 0, optimal === 1, { bonus, stepPenalty });
}
