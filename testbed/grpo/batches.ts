// What is trained on: instances as the configuration says, task after task, always the same for the same seed. Which
// instance a task has follows from its place alone, so that several threads can make them, each its own.

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
import { defaults, NothingToLearn, type Settings } from './settings.ts';

/** So many tasks meet the configuration's shares, and so does every beginning of them; then it begins again. */
const round = 2 ** 26;

interface FamilyTask extends TrainingTask {
  /** The task family it belongs to. */
  readonly family: string;
  readonly made: Made;
}

export interface Curriculum {
  readonly configuration: LakeConfiguration;
  readonly seed: string;
  /** Names of kinds of which there are none, or hardly any: they are not looked for. */
  readonly missing: readonly string[];
}

/** Throws NothingToLearn where no instance can be made of anything the configuration asks for. */
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
    // To find that there is none of a kind may take a second, and signals are heard only when nothing else is done.
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
  /** Lessons that are gone by. */
  #passed = 0;

  constructor(curriculum: Curriculum) {
    this.#curriculum = curriculum;
    this.#missing = new Set(curriculum.missing);
    this.#standIns = ordersOf(curriculum.configuration, curriculum.seed).standIns;
  }

  /** Places are to be asked for in their order, any may be left out. Null where there is no instance for the place. */
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

// What the policy tried while it learnt from a task, as rollouts: judged as the lake judges, with the reward that was learnt
// from. There are very many of them: so each is written as the canonical JSON that is recorded, here in the thread that made
// it, and what follows from the rest is left out: failures in words, how the cost compares with the least, and why there is none.

interface LearntFrom {
  readonly task: FamilyTask;
  /** The place of the task in its training: its rollouts are of one sample group. */
  readonly place: number;
  /** The number of the update, from 0. */
  readonly update: number;
  /** By sample. */
  readonly walks: readonly Walked[];
  readonly rewards: readonly number[];
}

/** As canonical JSON: members in the order of their names, numbers as they are written anyway. */
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

/** As `judge` judges a plan that solves its task: nothing failed, so that nothing has to be carried out again. */
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

// What a plan earns in the embedded trainer.

export const grpoComponent = 'grpo';

/** The parameters that are recorded of the trainer say how much more an optimal plan earns. */
export function rewardOf(
  { success, metrics }: Pick<Judged, 'success' | 'metrics'>,
  { bonus = defaults.bonus }: Partial<Settings>,
): number {
  if (!success) return 0;
  return 1 + (metrics['optimal'] === 1 ? bonus : 0);
}
