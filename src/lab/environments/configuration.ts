// Checks a configuration against a descriptor.

import { NotCanonical } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { fieldOf, found, type Issue } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { nearestNames, suggestion } from '../../../schemas/nearest.ts';
import { type Configuration, digestOf } from './environment.ts';
import { knobValue, memberOf, renormalised, withKnob } from './knobs.ts';

/** The tolerance for sums of shares. */
const sharesSlack = 1e-9;

/**
 * All issues of a configuration: knobs that are missing, not numbers, out of range or not integers; shares that do not
 * sum to their total; values that JSON cannot hold. `like` is a complete configuration such as the start: with it, any
 * other key is unknown; without it, only a key that looks like a misspelt missing key.
 */
export function checkConfiguration(
  descriptor: Pick<Descriptor, 'knobs' | 'sharesSum'>,
  configuration: unknown,
  like?: Configuration,
): Issue[] {
  const tree = treeOf(descriptor.knobs);
  if (!isObject(configuration)) return [noObject(tree.below, configuration, [])];
  const issues = [...misplaced(tree, configuration, like, []), ...wrongSums(descriptor, configuration)];
  return issues.length > 0 ? issues : unrecordable(configuration);
}

/** Where knobs are in a configuration: a knob, or a branch for each key. */
type Tree = { readonly knob: Knob } | Branch;

interface Branch {
  readonly below: Map<string, Tree>;
}

function treeOf(knobs: readonly Knob[]): Branch {
  const root: Branch = { below: new Map() };
  for (const knob of knobs) {
    let { below } = root;
    for (const step of knob.path.slice(0, -1)) {
      const next = below.get(step);
      const branch: Branch = next !== undefined && 'below' in next ? next : { below: new Map() };
      below.set(step, branch);
      below = branch.below;
    }
    below.set(knob.path.at(-1) as string, { knob });
  }
  return root;
}

function* misplaced(tree: Tree, value: unknown, like: unknown, path: readonly string[]): Generator<Issue> {
  if ('knob' in tree) {
    if (!isAllowed(tree.knob, value)) {
      yield { field: fieldOf(path), found: found(value), allowed: allowedBy(tree.knob) };
    }
    return;
  }
  const { below } = tree;
  if (typeof value !== 'object' || value === null) {
    yield noObject(below, value, path);
    return;
  }
  yield* unknownKeys(below, value, like, path);
  for (const [key, branch] of below) {
    yield* misplaced(branch, memberOf(value, key), memberOf(like, key), [...path, key]);
  }
}

function noObject(below: Branch['below'], value: unknown, path: readonly string[]): Issue {
  const allowed = below.size === 0 ? 'an object' : `an object with ${listed([...below.keys()])}`;
  return { field: fieldOf(path), found: found(value), allowed };
}

/** An unknown key often explains a missing one, so it comes first. */
function* unknownKeys(below: Branch['below'], value: object, like: unknown, path: readonly string[]): Generator<Issue> {
  const known = isObject(like) ? [...new Set([...below.keys(), ...Object.keys(like)])] : null;
  const missing = [...below.keys()].filter((key) => !Object.hasOwn(value, key));
  for (const key of Object.keys(value)) {
    if (below.has(key) || known?.includes(key) === true) continue;
    const near = nearestNames(key, known ?? missing);
    if (known === null && near.length === 0) continue;
    const allowed = near.length > 0 ? `a known one, ${suggestion(near)}` : listed(known ?? missing);
    yield { field: fieldOf([...path, key]), found: 'an unknown key', allowed };
  }
}

/** Further names are only counted. */
const mostListed = 12;

function listed(names: readonly string[]): string {
  const more = names.length - mostListed;
  return names.slice(0, mostListed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function isAllowed({ range, integer }: Knob, value: unknown): boolean {
  if (typeof value !== 'number' || !(value >= range.min && value <= range.max)) return false;
  return integer !== true || Number.isInteger(value);
}

function allowedBy({ range: { min, max }, integer }: Knob): string {
  const what = integer === true ? 'whole number' : 'number';
  return min === max ? `the ${what} ${min}` : `a ${what} from ${min} to ${max}`;
}

function wrongSums(
  { knobs, sharesSum = [] }: Pick<Descriptor, 'knobs' | 'sharesSum'>,
  configuration: Configuration,
): Issue[] {
  return sharesSum.flatMap(({ knobs: names, total }) => {
    const shares = knobs.filter(({ name }) => names.includes(name));
    const values = shares.map((share) => knobValue(configuration, share));
    const sum = values.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0);
    if (!(Math.abs(sum - total) > sharesSlack)) return [];
    const field = fieldOf(commonPath(shares.map(({ path }) => path)));
    const counting = shares.filter((_, i) => values[i] !== 0).map(({ name }) => name);
    const of =
      counting.length === 0 ? '' : ` (${listed(counting)}${counting.length < shares.length ? '; others are 0' : ''})`;
    return [{ field, found: `shares that sum to ${shortly(sum)}${of}`, allowed: `a sum of ${total}` }];
  });
}

/** Without floating-point noise, unless the noise is the issue. */
function shortly(sum: number): number {
  return Number(sum.toPrecision(10));
}

function commonPath(paths: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = paths;
  const until = first.findIndex((step, i) => others.some((path) => path[i] !== step));
  return until < 0 ? first : first.slice(0, until);
}

/** Values that an event cannot hold, even if the environment accepts them. */
function unrecordable(configuration: Configuration): Issue[] {
  const hidden = hiddenKey(configuration, []);
  if (hidden !== null) return [{ field: hidden, found: 'the key "__proto__"', allowed: 'any other name' }];
  try {
    digestOf(configuration);
    return [];
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return [{ field: error.field, found: error.found, allowed: 'a JSON value' }];
  }
}

/** Canonical JSON is limited to this depth and reports it. */
const deepest = 256;

function hiddenKey(value: unknown, path: readonly string[]): string | null {
  if (typeof value !== 'object' || value === null || path.length > deepest) return null;
  for (const [key, member] of Object.entries(value)) {
    const hidden = key === '__proto__' ? fieldOf([...path, key]) : hiddenKey(member, [...path, key]);
    if (hidden !== null) return hidden;
  }
  return null;
}

// Clamps a configuration to what its descriptor allows and reports every change.

/** A clamped value as recorded in events. `rule` is the first rule it broke. */
type Clamp = EventData['ConfigAdopted']['clamps'][number];

interface Adjusted {
  readonly configuration: Configuration;
  /**
   * At most one per knob, in the order of the descriptor: the original and the used value. Empty if nothing changed.
   */
  readonly clamps: readonly Clamp[];
}

/**
 * Values out of range are clamped, integers are rounded, and shares are scaled to their total. Missing and non-numeric
 * values stay: `checkConfiguration` reports them.
 */
export function adjusted(descriptor: Descriptor, configuration: Configuration): Adjusted {
  const values = new Map<string, number>();
  const broken = new Map<string, Clamp['rule']>();
  for (const knob of descriptor.knobs) {
    const value = knobValue(configuration, knob);
    if (value === undefined) continue;
    const near = nearestAllowed(knob, value);
    values.set(knob.name, near);
    if (near !== value) broken.set(knob.name, isInRange(knob, value) ? 'step' : 'range');
  }
  for (const [name, value] of newShares(descriptor, values)) {
    values.set(name, value);
    if (!broken.has(name)) broken.set(name, 'shares-sum');
  }
  return clampedTo(descriptor, configuration, values, broken);
}

function nearestAllowed({ range: { min, max }, integer }: Knob, value: number): number {
  const cut = Math.min(Math.max(value, min), max);
  return integer === true ? Math.round(cut) : cut;
}

const isInRange = ({ range }: Knob, value: number): boolean => value >= range.min && value <= range.max;

/** The shares that must change so that each sum matches its total. */
function* newShares(
  { knobs, sharesSum = [] }: Descriptor,
  values: ReadonlyMap<string, number>,
): Generator<[string, number]> {
  for (const { knobs: names, total } of sharesSum) {
    const shares = knobs.flatMap((knob) => {
      const value = values.get(knob.name);
      return names.includes(knob.name) && value !== undefined ? [{ knob, value }] : [];
    });
    const sum = shares.reduce((sum, { value }) => sum + value, 0);
    if (shares.length < names.length || Math.abs(sum - total) <= sharesSlack) continue;
    for (const [i, value] of renormalised(shares, total).entries()) {
      const share = shares[i];
      if (share !== undefined && share.value !== value) yield [share.knob.name, value];
    }
  }
}

function clampedTo(
  { knobs }: Descriptor,
  configuration: Configuration,
  values: ReadonlyMap<string, number>,
  broken: ReadonlyMap<string, Clamp['rule']>,
): Adjusted {
  let result = configuration;
  const clamps: Clamp[] = [];
  for (const knob of knobs) {
    const proposed = knobValue(configuration, knob);
    const used = values.get(knob.name);
    const rule = broken.get(knob.name);
    if (proposed === undefined || used === undefined || rule === undefined || used === proposed) continue;
    result = withKnob(result, knob, used);
    clamps.push({ knob: knob.name, family: knob.family, proposed, used, rule });
  }
  return { configuration: result, clamps };
}

// Completes a configuration that leaves out whole families: they get no tasks.

/**
 * Adds the missing families: their shares are the minimum, their other knobs come from `start`. A configuration that
 * names no family, or whose families have no separate place in it, stays unchanged, and so does invalid input: checks
 * report those.
 */
export function withEveryFamily<Given>(
  descriptor: Descriptor,
  given: Given,
  start: Configuration,
): Given | Configuration {
  if (!isObject(given)) return given;
  const grouped = [...Map.groupBy(descriptor.knobs, ({ family }) => family)].filter(([family]) => family !== null);
  const unmentioned = grouped.filter(([, knobs]) => knobs.every((knob) => hasNoPlace(given, knob)));
  if (unmentioned.length === grouped.length) return given;
  const shares = new Set(descriptor.sharesSum?.flatMap(({ knobs }) => knobs));
  let whole: Configuration = given;
  for (const knob of unmentioned.flatMap(([, knobs]) => knobs)) {
    const least = knob.range.min;
    whole = withKnob(whole, knob, shares.has(knob.name) ? least : (knobValue(start, knob) ?? least));
  }
  return whole;
}

/** Neither the knob nor its parent exists. */
function hasNoPlace(configuration: Configuration, { path }: Knob): boolean {
  let place: unknown = configuration;
  for (const step of path.slice(0, -1)) {
    if (!isObject(place)) return false;
    place = memberOf(place, step);
  }
  return place === undefined;
}

// Differences between two configurations.

interface Difference {
  readonly knob: string;
  /** The family the knob belongs to; null if it applies to all families. */
  readonly family: string | null;
  /** Null if it had no value. */
  readonly from: number | null;
  readonly to: number;
}

/** The knobs with different values, in the order of the descriptor. */
export function differences({ knobs }: Descriptor, from: Configuration, to: Configuration): Difference[] {
  return knobs.flatMap((knob) => {
    const before = knobValue(from, knob) ?? null;
    const after = knobValue(to, knob);
    if (after === undefined || (before !== null && isSame(knob, before, after))) return [];
    return [{ knob: knob.name, family: knob.family, from: before, to: after }];
  });
}

/** Floating-point noise is not a difference. */
function isSame({ step }: Knob, a: number, b: number): boolean {
  return Math.abs(a - b) <= step * 1e-9;
}

/**
 * By how many of its steps each knob moves after the shares of both configurations are scaled to their totals: an
 * untouched share moves as well when others grow. Knobs without a value in both are left out.
 */
export function stepsMoved(descriptor: Descriptor, from: Configuration, to: Configuration): Map<string, number> {
  const was = adjusted(descriptor, from).configuration;
  const is = adjusted(descriptor, to).configuration;
  const moved = new Map<string, number>();
  for (const knob of descriptor.knobs) {
    const before = knobValue(was, knob);
    const after = knobValue(is, knob);
    if (before !== undefined && after !== undefined) moved.set(knob.name, Math.abs(after - before) / knob.step);
  }
  return moved;
}

/** Whether a knob that moved by this number of steps counts as kept. */
export function isWithinOneStep(steps: number): boolean {
  return steps <= 1 + 1e-9;
}
