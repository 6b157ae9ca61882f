// The rooms of a dungeon and the rules that judge a walk through one. A room has hazards in a row; each needs two actions
// in order, and the first wrong action ends the walk.
import { Random } from '../../src/library/plugins/index.ts';

/** The actions, each with its letter in an answer. */
export const actions = { take: 'T', push: 'P', wait: 'H', jump: 'J', run: 'R', walk: 'W' } as const;

const letters = Object.values(actions);
export type Action = (typeof letters)[number];

/** For each hazard: the actions that pass it, and what happens to those who act otherwise. */
export const hazards = {
  door: { passes: [actions.take, actions.push], failure: 'locked-out', meaning: 'stood before a locked door' },
  ice: { passes: [actions.wait, actions.jump], failure: 'slipped', meaning: 'slipped on a slippery cell' },
  fuse: { passes: [actions.run, actions.jump], failure: 'too-late', meaning: 'missed a deadline' },
  gate: { passes: [actions.wait, actions.run], failure: 'crushed', meaning: 'met a gate that was closing' },
  current: { passes: [actions.push, actions.walk], failure: 'swept-back', meaning: 'went against a one-way cell' },
  narrow: { passes: [actions.walk, actions.take], failure: 'blocked', meaning: 'blocked a narrow passage' },
} as const;

export type Hazard = keyof typeof hazards;

export const hazardNames = Object.keys(hazards) as Hazard[];

/** The number of actions that each hazard needs. */
export const phases = 2;

export const families = {
  north: 'rooms of the north wing',
  east: 'rooms of the east wing',
  south: 'rooms of the south wing',
  west: 'rooms of the west wing',
  upper: 'rooms of the upper floor',
  lower: 'rooms of the lower floor',
} as const;

export type Family = keyof typeof families;

export const familyNames = Object.keys(families) as Family[];

export function forHazards<Value>(of: (hazard: Hazard) => Value): { readonly [H in Hazard]: Value } {
  return Object.fromEntries(hazardNames.map((hazard) => [hazard, of(hazard)])) as { readonly [H in Hazard]: Value };
}

export function forFamilies<Value>(of: (family: Family) => Value): { readonly [F in Family]: Value } {
  return Object.fromEntries(familyNames.map((family) => [family, of(family)])) as { readonly [F in Family]: Value };
}

/** What a room is made of. The number tells rooms with the same hazards apart. */
export interface Room {
  readonly hazards: readonly Hazard[];
  readonly number: number;
}

const roomNumbers = 2 ** 31;

/** What a dungeon hides: the hazard that dominates each family. Two hazards occur, and each dominates three families. */
export function hiddenHazards(world: number): { readonly [F in Family]: Hazard } {
  const random = new Random(String(world), 'dungeon');
  const [one, other] = shuffled(hazardNames, random) as [Hazard, Hazard];
  const order = shuffled(familyNames, random);
  const half = familyNames.length / 2;
  return forFamilies((family) => (order.indexOf(family) < half ? one : other));
}

/** The families whose rooms have one hazard less than configured: three of them, whatever hazard they have. */
export function easyFamilies(world: number): readonly Family[] {
  return shuffled(familyNames, new Random(String(world), 'easy')).slice(0, familyNames.length / 2);
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, place: random.word() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** The share of rooms without a hazard, which everyone passes. */
const quiet = 0.2;
/** The share of a room's hazards that are the one of its family; the others are the second one of the dungeon. */
const dominant = 0.75;

/** The maximum share of rooms for practice; if more is configured, all of it shrinks. */
export const mostPractice = 0.9;

/** The emphasis of practice on each hazard, and the number of hazards in other rooms. */
type RoomKnobs = { readonly [H in Hazard]: number } & { readonly length: number };

interface RoomRequest {
  readonly family: Family;
  readonly knobs: RoomKnobs;
  readonly world: number;
  readonly random: Random;
}

/** A room with one hazard to practise, or one as the family has them. */
export function roomFor({ family, knobs, world, random }: RoomRequest): Room {
  const number = random.below(roomNumbers);
  const practised = hazardNames.reduce((sum, hazard) => sum + knobs[hazard], 0);
  let rest = random.fraction() * Math.max(practised / mostPractice, 1);
  for (const hazard of hazardNames) {
    rest -= knobs[hazard];
    if (rest < 0) return { hazards: [hazard], number };
  }
  if (random.fraction() < quiet) return { hazards: [], number };
  const hidden = hiddenHazards(world);
  const own = hidden[family];
  const other = Object.values(hidden).find((one) => one !== own) ?? own;
  const length = knobs.length - (easyFamilies(world).includes(family) ? 1 : 0);
  const drawn = Array.from({ length }, () => (random.fraction() < dominant ? own : other));
  return { hazards: drawn, number };
}

/** How far a walk got: all hazards passed, or the index of the hazard where it ended and the step, from 1. */
export type Walk = { readonly passed: true } | { readonly passed: false; readonly at: number; readonly step: number };

/** The letters of the actions that pass the room. */
export function wayThrough({ hazards: all }: Room): string {
  return all.flatMap((hazard) => hazards[hazard].passes).join('');
}

export function walked(room: Room, answer: string): Walk {
  const right = wayThrough(room);
  for (let i = 0; i < right.length; i++) {
    if (answer[i] !== right[i]) return { passed: false, at: Math.floor(i / phases), step: i + 1 };
  }
  return { passed: true };
}
