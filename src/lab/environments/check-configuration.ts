// What is wrong with a configuration, as far as a descriptor can tell.
import { NotCanonical } from '../../../schemas/canonical.ts';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import type { Issue } from '../../../schemas/errors.ts';
import { nearestNames, perhaps } from '../../../schemas/nearest.ts';
import { fieldOf, found } from '../../../schemas/phrase.ts';
import { digestOf } from './digest.ts';
import type { Configuration } from './environment.ts';
import { isObject, knobValue, memberOf } from './knobs.ts';

/** Shares sum to their total within this. */
export const sharesSlack = 1e-9;

/**
 * Everything wrong with a configuration: knobs that are missing, no numbers, out of range, not whole; shares that do not
 * sum to their total; what JSON cannot hold. `like` is a configuration with every setting there is, such as the one to
 * start with: with it, a key known neither from there nor from a knob is unknown; without it, only one that looks like a
 * missing key misspelt.
 */
export function checkConfiguration(descriptor: Descriptor, configuration: unknown, like?: Configuration): Issue[] {
  const tree = treeOf(descriptor.knobs);
  if (!isObject(configuration)) return [noObject(tree.below, configuration, [])];
  const issues = [...misplaced(tree, configuration, like, []), ...wrongSums(descriptor, configuration)];
  return issues.length > 0 ? issues : unspeakable(configuration);
}

/** The places of knobs: a knob, or what stands under each key. */
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

/** An unknown key is often the reason why another is missing: it is told first. */
function* unknownKeys(below: Branch['below'], value: object, like: unknown, path: readonly string[]): Generator<Issue> {
  const known = isObject(like) ? [...new Set([...below.keys(), ...Object.keys(like)])] : null;
  const missing = [...below.keys()].filter((key) => !Object.hasOwn(value, key));
  for (const key of Object.keys(value)) {
    if (below.has(key) || known?.includes(key) === true) continue;
    const near = nearestNames(key, known ?? missing);
    if (known === null && near.length === 0) continue;
    const allowed = near.length > 0 ? `a known one, ${perhaps(near)}` : listed(known ?? missing);
    yield { field: fieldOf([...path, key]), found: 'an unknown key', allowed };
  }
}

/** Of more names than this only the number is told. */
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

function wrongSums({ knobs, sharesSum = [] }: Descriptor, configuration: Configuration): Issue[] {
  return sharesSum.flatMap(({ knobs: names, total }) => {
    const shares = knobs.filter(({ name }) => names.includes(name));
    const values = shares.map((share) => knobValue(configuration, share));
    const sum = values.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0);
    if (!(Math.abs(sum - total) > sharesSlack)) return [];
    const field = fieldOf(commonPath(shares.map(({ path }) => path)));
    return [{ field, found: `shares that sum to ${shortly(sum)}: ${listed(names)}`, allowed: `a sum of ${total}` }];
  });
}

/** Without the dust that adding leaves behind, where the dust is not the point. */
function shortly(sum: number): number {
  return Number(sum.toPrecision(10));
}

function commonPath(paths: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = paths;
  const until = first.findIndex((step, i) => others.some((path) => path[i] !== step));
  return until < 0 ? first : first.slice(0, until);
}

/** What an event cannot hold, however the environment would take it. */
function unspeakable(configuration: Configuration): Issue[] {
  const hidden = hiddenKey(configuration, []);
  if (hidden !== null) return [{ field: hidden, found: 'the key "__proto__"', allowed: 'any other name' }];
  try {
    digestOf(configuration);
    return [];
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return [{ field: error.field, found: error.found, allowed: 'what JSON can hold' }];
  }
}

/** Deeper than this nothing has canonical JSON, and that is said there. */
const deepest = 256;

function hiddenKey(value: unknown, path: readonly string[]): string | null {
  if (typeof value !== 'object' || value === null || path.length > deepest) return null;
  for (const [key, member] of Object.entries(value)) {
    const hidden = key === '__proto__' ? fieldOf([...path, key]) : hiddenKey(member, [...path, key]);
    if (hidden !== null) return hidden;
  }
  return null;
}
