// Runs that differ by their seeds alone belong to one arm: what is true of an arm is true of its settings, which a single run
// cannot show.
import { canonicalJson } from '../../../schemas/canonical.ts';
import { shellLine } from '../../base/shell-word.ts';
import { type Entrant, NotAmongRuns, SeedTwice } from './entrants.ts';

export interface Arm {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly entrants: readonly Entrant[];
}

/** A setting, or all whose names begin with that and a point. Throws NotAmongRuns. */
export function requireSettings(by: readonly string[], entrants: readonly Entrant[]): void {
  const known = [...new Set(entrants.flatMap(({ settings }) => [...settings.keys()]))];
  for (const asked of by) {
    if (!known.some((setting) => isWithin(setting, asked))) throw new NotAmongRuns('--by', asked, known);
  }
}

function isWithin(setting: string, asked: string): boolean {
  return setting === asked || setting.startsWith(`${asked}.`);
}

/** Arms by these settings, or by all but the seed if none are named. Throws SeedTwice. */
export function armsOf(entrants: readonly Entrant[], by: readonly string[]): readonly Arm[] {
  const isTelling = (setting: string): boolean =>
    by.length > 0 ? by.some((asked) => isWithin(setting, asked)) : !isOfTheSeed(setting);
  const byParent = (one: Entrant): string => keyOf(one, (setting) => isTelling(setting) || setting === 'parent');
  let groups = grouped(entrants, (one) => keyOf(one, isTelling));
  // Forks of other runs with the same seed go on from other histories.
  if (by.length === 0 && groups.some(hasSeedTwice)) groups = grouped(entrants, byParent);
  if (by.length > 0) for (const group of groups) requireAlike(group, by);
  const differing = differingSettings(groups.flatMap(([first]) => first ?? []));
  return named(
    groups.map((group) => ({
      entrants: group,
      settings: Object.fromEntries(
        differing.filter(isTelling).map((setting) => [setting, group[0]?.settings.get(setting) ?? null]),
      ),
    })),
  );
}

/** The seed itself, the code that ran, and which run a fork goes off from: each seed has its own. */
function isOfTheSeed(setting: string): boolean {
  return setting === 'seed' || setting === 'parent' || setting.startsWith('code.');
}

function grouped(entrants: readonly Entrant[], key: (one: Entrant) => string): readonly (readonly Entrant[])[] {
  return [...Map.groupBy(entrants, key).values()];
}

function keyOf({ settings, read }: Entrant, isTelling: (setting: string) => boolean): string {
  const telling = [...settings].filter(([setting]) => isTelling(setting));
  return canonicalJson([Object.fromEntries(telling), read.parent?.stage ?? null]);
}

export function seedOf({ read, settings }: Entrant): number | string | null {
  const seed = read.started?.data.seed ?? settings.get('seed');
  return typeof seed === 'number' || typeof seed === 'string' ? seed : null;
}

function hasSeedTwice(group: readonly Entrant[]): boolean {
  return new Set(group.map((one) => String(seedOf(one)))).size < group.length;
}

function requireAlike(group: readonly Entrant[], by: readonly string[]): void {
  for (const [seed, twins] of Map.groupBy(group, (one) => String(seedOf(one)))) {
    const differ = differingSettings(twins).filter((setting) => !isOfTheSeed(setting));
    if (differ.length === 0) continue;
    const arm = by.map((asked) => `${asked} ${String(group[0]?.settings.get(asked) ?? '')}`.trim()).join(', ');
    throw new SeedTwice(
      arm,
      seed,
      twins.map(({ label }) => label),
      differ,
    );
  }
}

/** In the order of the first that has them. */
function differingSettings(entrants: readonly Entrant[]): readonly string[] {
  const all = [...new Set(entrants.flatMap(({ settings }) => [...settings.keys()]))];
  return all.filter(
    (setting) => new Set(entrants.map((one) => canonicalJson(one.settings.get(setting) ?? null))).size > 1,
  );
}

type Nameless = Omit<Arm, 'name'>;

/** An arm is called by what tells it from others, as long as that is short. */
function named(arms: readonly Nameless[]): readonly Arm[] {
  if (arms.length === 1) return arms.map((arm) => ({ ...arm, name: 'all of them' }));
  const byFirst = ({ entrants: [first] }: Nameless): string => `${first?.label} …`;
  const bySettings = arms.map((arm) => nameOf(arm.settings) ?? byFirst(arm));
  const byFork = arms.map((arm, i) => (isUnique(bySettings, i) ? bySettings[i] : `${bySettings[i]}${forkText(arm)}`));
  return arms.map((arm, i) => ({ ...arm, name: (isUnique(byFork, i) ? byFork[i] : null) ?? byFirst(arm) }));
}

function isUnique(names: readonly unknown[], i: number): boolean {
  return names.indexOf(names[i]) === names.lastIndexOf(names[i]);
}

function forkText({ entrants: [first] }: Nameless): string {
  const parent = first?.read.parent ?? null;
  return parent === null ? '' : `, forked after stage ${parent.stage}`;
}

const mostNamed = 3;

function nameOf(settings: Arm['settings']): string | null {
  const all = Object.entries(settings);
  if (all.length === 0 || all.length > mostNamed) return null;
  const [[, only] = []] = all;
  return all.length === 1 ? wordFor(only) : all.map(([setting, value]) => `${setting} ${wordFor(value)}`).join(', ');
}

/** A program as it is typed. */
function wordFor(value: unknown): string {
  if (typeof value === 'string') return value;
  const isCommand = Array.isArray(value) && value.every((word) => typeof word === 'string');
  return isCommand ? shellLine(value) : canonicalJson(value);
}
