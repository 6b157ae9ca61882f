// What is trained on: instances as the configuration says, lesson after lesson, always the same for the same seed. Which
// instance a lesson has follows from its place alone, so that several threads can make them, each its own.
import { setImmediate } from 'node:timers/promises';
import type { LakeConfiguration } from '../../lake/configuration.ts';
import { batchOf } from '../../lake/generator/generate.ts';
import { type Kind, kindName, type Order } from '../../lake/generator/kind.ts';
import { type Made, Maker } from '../../lake/generator/maker.ts';
import { type Slot, slotsOf } from '../../lake/generator/orders.ts';
import { NothingToLearn } from './errors.ts';
import type { Lesson } from './learner.ts';

/** So many lessons meet the configuration's shares, and so does every beginning of them; then it begins again. */
const round = 2 ** 26;

export interface TrainingLesson extends Lesson {
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
  const { orders, standIns } = asked(configuration, seed);
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

interface AskedFor {
  readonly orders: readonly Order[];
  readonly standIns: (kind: Kind) => readonly Kind[];
}

function asked(configuration: LakeConfiguration, seed: string): AskedFor {
  const { orders, wanted } = batchOf(configuration, round, { split: 'train', seed });
  return { orders, standIns: wanted.standIns ?? (() => []) };
}

export class Lessons {
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
    this.#standIns = asked(curriculum.configuration, curriculum.seed).standIns;
  }

  /** Places are to be asked for in their order, any may be left out. Null where there is no instance for the place. */
  at(place: number): TrainingLesson | null {
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
    this.#slots = slotsOf(asked(configuration, seed).orders);
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
