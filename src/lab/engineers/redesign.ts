// Turns beliefs into a proposal: shares by what each family is worth, the chosen knob changes, and knobs kept on
// purpose because they work. Every reason cites its evidence.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { worthWords } from '../../../schemas/estimated-worth.ts';
import { joinWithAnd } from '../../base/name-lists.ts';
import type { Configuration } from '../environments/environment.ts';
import { knobValue, renormalised, withKnob } from '../environments/knobs.ts';
import { type Belief, type Evidence, percent } from './beliefs.ts';
import type { Proposal, ProposalRequest, Reason } from './engineer.ts';

/** A knob that is not a share, changed or kept on purpose. */
export interface Setting {
  readonly knob: Knob;
  /** Null to keep it. */
  readonly to: number | null;
  readonly cites: readonly string[];
  readonly reason: string;
}

/** Why an engineer divides the data as it does, and a reservation about the whole decision. */
export interface Grounds {
  readonly data: string;
  readonly reservation: string | null;
}

export function redesigned(
  { descriptor, current }: ProposalRequest,
  { beliefs, isCollapsed }: Situation,
  settings: readonly Setting[],
  { data, reservation }: Grounds,
): Proposal {
  const shared = withShares(descriptor, current, beliefs);
  const shares = shareReasons(descriptor, { current, shared }, beliefs);
  const changed = settings.filter(({ to }) => to !== null);
  const stay = settings.filter(({ to }) => to === null);
  const division = isCollapsed ? [easierFirst] : [data];
  const clauses = [...(shares.changed.length > 0 ? division : []), ...clausesOn(changed, current)];
  const unchangedBecause = (descriptor.sharesSum ?? []).length > 0 ? alreadyShared : nothingToChange;
  return {
    configuration: changed.reduce((result, { knob, to }) => withKnob(result, knob, to ?? 0), shared),
    reasons: [...shares.changed, ...changed.map((setting) => reasonOf(setting.knob, setting))],
    kept: [...shares.kept, ...stay.map((setting) => reasonOf(setting.knob, setting))],
    predictions: [...beliefs.values()].flatMap(({ family, rate }) =>
      rate === null ? [] : [{ family, measure: 'valid', value: rate }],
    ),
    rationale:
      clauses.length === 0 ? unchangedBecause : [...clauses, ...(reservation === null ? [] : [reservation])].join('; '),
  };
}

/** `harder tasks in families 3, 4 and 6`: only what the decision changes is part of its rationale. */
function clausesOn(changed: readonly Setting[], current: Configuration): string[] {
  const kindOf = ({ knob, to }: Setting): string => {
    if (knob.harder === undefined) return 'training aimed at what fails';
    const isMore = (to ?? 0) > (knobValue(current, knob) ?? 0);
    return isMore === (knob.harder === 'more') ? 'harder tasks' : 'easier tasks';
  };
  return Array.from(Map.groupBy(changed, kindOf), ([kind, own]) => {
    const families = [...new Set(own.flatMap(({ knob }) => knob.family ?? []))];
    if (families.length === 0) return kind;
    if (families.length > mostNamed) return `${kind} in ${families.length} families`;
    return `${kind} in ${families.length === 1 ? 'family' : 'families'} ${joinWithAnd(families)}`;
  });
}

const mostNamed = 4;

const easierFirst = 'the data favours easier families, as training hardly teaches anything yet';

const nothingToChange = 'no knob changes: nothing in the context gives a reason to change one';

/** What decides the shares would otherwise read as a reason for a change. */
const alreadyShared =
  'no knob changes: the data is divided by estimated worth already, and nothing gives a reason to change another knob';

/** Without any evidence everything stays unchanged. */
export function unchanged({ current }: ProposalRequest): Proposal {
  return { configuration: current, reasons: [], kept: null, predictions: null, rationale: nothingToChange };
}

function shareReasons(
  descriptor: Descriptor,
  { current, shared }: { readonly current: Configuration; readonly shared: Configuration },
  beliefs: ReadonlyMap<string, Belief>,
): { readonly changed: readonly Reason[]; readonly kept: readonly Reason[] } {
  const { knobs, sharesSum = [] } = descriptor;
  const totals = new Map(sharesSum.flatMap((sum) => sum.knobs.map((name) => [name, sum.total] as const)));
  const parts = partsByWorth(descriptor, current, beliefs);
  const known = knobs.flatMap((knob) => {
    const belief = knob.family === null ? undefined : beliefs.get(knob.family);
    return belief === undefined || !totals.has(knob.name) ? [] : [{ knob, belief }];
  });
  const isChanged = (knob: Knob): boolean => knobValue(current, knob) !== knobValue(shared, knob);
  return {
    changed: known
      .filter(({ knob }) => isChanged(knob))
      .map(({ knob, belief }) => {
        const [from, to] = [knobValue(current, knob) ?? 0, knobValue(shared, knob) ?? 0];
        const part = parts.get(knob.name) ?? 0;
        const why = shareReason({ isMore: to > from, held: from / (totals.get(knob.name) ?? 1), part });
        return reasonOf(knob, { ...belief, reason: `${why}; ${belief.reason}` });
      }),
    kept: known
      .filter(({ knob, belief }) => belief.works && !isChanged(knob))
      .map(({ knob, belief }) => reasonOf(knob, { ...belief, reason: `it works: ${belief.reason}` })),
  };
}

interface Sharing {
  readonly isMore: boolean;
  /** Its current share of the data. */
  readonly held: number;
  /** Its share of the estimated worth of all families. */
  readonly part: number;
}

/** A share also moves because others do: its own worth is a reason only if it points the same way. */
function shareReason({ isMore, held, part }: Sharing): string {
  const direction = isMore ? 'more data' : 'less data';
  if (percent(part) === percent(held)) return `slightly ${direction}`;
  if (part > held !== isMore) return `${direction}, as others take ${isMore ? 'less' : 'more'}`;
  return `${direction}: ${percent(part)} of the ${worthWords}, but ${percent(held)} of the data so far`;
}

/** Without evidence ids, `cites` is null. */
function reasonOf(knob: Knob, { cites, reason }: Pick<Setting, 'cites' | 'reason'>): Reason {
  return { knob: knob.name, cites: cites.length === 0 ? null : [...new Set(cites)], reason };
}

// The situation of a run: the belief about each family and what the families are worth relative to each other. A task
// with fewer agent steps teaches for less budget; and while hardly anything is learned, easier families come first.

export interface Situation {
  /** By family, in the order of the descriptor. */
  readonly beliefs: ReadonlyMap<string, Belief>;
  readonly evidence: Evidence;
  /** Hardly anything is learned: easier families are worth more than harder ones. */
  readonly isCollapsed: boolean;
}

/** Below this learning signal training has collapsed; without a signal, rates like this indicate it. */
const faintSignal = 0.15;

const faintRate = 0.05;

/** In a collapse, each family is worth this fraction of the one before it. */
const tilt = 0.7;

/** The minimum worth: a family that seems to teach nothing may do so by chance or may teach later. */
const leastWorth = 0.05;

/** How much the cost of a task counts; 1 would give each family the same agent steps for the same worth. */
const thrift = 0.5;

/** Families in the descriptor's order, easiest first; null if nothing is known about any of them. */
export function situationOf(believed: readonly Belief[], evidence: Evidence): Situation | null {
  if (believed.every(({ worth }) => worth === null)) return null;
  // While hardly anything is learned, everything that is too hard has to become easier.
  const isCollapsed = collapsed(believed, evidence);
  const costs = believed.map(({ family }) => evidence.mean(family, 'agent-steps'));
  const cheapest = Math.min(...costs.flatMap((cost) => (cost === null || cost.value <= 0 ? [] : [cost.value])));
  const beliefs = believed.map((belief, i): Belief => {
    const cost = costs[i] ?? null;
    const cheapness = cost === null || cost.value <= 0 ? 1 : (cheapest / cost.value) ** thrift;
    const ease = isCollapsed ? tilt ** i : 1;
    return {
      ...belief,
      worth: belief.worth === null ? null : Math.max(belief.worth, leastWorth) * cheapness * ease,
      cites: [
        ...belief.cites,
        ...(cost === null ? [] : [cost.evidenceId]),
        ...(isCollapsed && evidence.signal !== null ? [evidence.signal.evidenceId] : []),
      ],
    };
  });
  return { beliefs: new Map(beliefs.map((belief) => [belief.family, belief])), evidence, isCollapsed };
}

function collapsed(beliefs: readonly Belief[], { signal }: Evidence): boolean {
  if (signal !== null) return signal.value < faintSignal;
  const rates = beliefs.flatMap(({ rate }) => (rate === null ? [] : [rate]));
  return rates.length > 0 && rates.reduce((sum, rate) => sum + rate, 0) / rates.length < faintRate;
}

// Shares by worth. A family that works keeps its share within one step, to preserve what works; an unknown family keeps
// its share exactly.

/** No family is dropped for good, even if it is worth next to nothing. */
const leastShareWorth = 0.002;

/** For each share with a known worth: its part of the total by worth alone. */
function partsByWorth(
  descriptor: Descriptor,
  current: Configuration,
  beliefs: ReadonlyMap<string, Belief>,
): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const { known, rest } = sharesOf(descriptor, current, { names, total }, beliefs);
    const worths = known.reduce((sum, { worth }) => sum + worth, 0);
    for (const { knob, worth } of known) parts.set(knob.name, ((worth / worths) * rest) / total);
  }
  return parts;
}

interface KnownShare {
  readonly knob: Knob;
  readonly held: number;
  readonly worth: number;
}

/** `rest` is the sum of the shares with a known worth. */
function sharesOf(
  { knobs }: Descriptor,
  current: Configuration,
  { names, total }: { readonly names: readonly string[]; readonly total: number },
  beliefs: ReadonlyMap<string, Belief>,
): { readonly known: readonly KnownShare[]; readonly rest: number } {
  const shares = knobs
    .filter(({ name }) => names.includes(name))
    .map((knob) => ({ knob, held: knobValue(current, knob) ?? 0, worth: worthOf(knob, beliefs) }));
  const known = shares.flatMap(({ knob, held, worth }) =>
    worth === null ? [] : [{ knob, held, worth: Math.max(worth, leastShareWorth) }],
  );
  const unknown = shares.reduce((sum, { held, worth }) => sum + (worth === null ? held : 0), 0);
  return { known, rest: total - unknown };
}

function withShares(
  descriptor: Descriptor,
  current: Configuration,
  beliefs: ReadonlyMap<string, Belief>,
): Configuration {
  let result = current;
  for (const { knobs: names, total } of descriptor.sharesSum ?? []) {
    const { known, rest } = sharesOf(descriptor, current, { names, total }, beliefs);
    const wanted = known.map(({ knob, held, worth }) => ({
      knob: { ...knob, range: roomOf(knob, held, beliefs) },
      value: worth,
    }));
    for (const [i, value] of renormalised(wanted, rest).entries()) {
      const share = known[i];
      if (share !== undefined) result = withKnob(result, share.knob, value);
    }
  }
  return result;
}

function worthOf({ family }: Knob, beliefs: ReadonlyMap<string, Belief>): number | null {
  return family === null ? null : (beliefs.get(family)?.worth ?? null);
}

function roomOf({ family, range, step }: Knob, held: number, beliefs: ReadonlyMap<string, Belief>): Knob['range'] {
  if (family === null || beliefs.get(family)?.works !== true) return range;
  return { min: Math.max(range.min, held - step), max: Math.min(range.max, held + step) };
}
