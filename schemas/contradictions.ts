// Finds contradictions in the descriptor of an environment that no schema of a single field can rule out. Code that works
// from a descriptor relies on there being none.

import { duplicateNames } from './duplicate-names.ts';
import type { Descriptor } from './environment.ts';
import type { Issue } from './errors.ts';
import { rolloutRecorded } from './evidence.ts';
import { nearestNames, suggestion } from './nearest.ts';

/** All contradictions in a descriptor; `at` is the field that holds it. */
export function contradictions(described: Descriptor, at: string): Issue[] {
  return [
    ...duplicateEntries(described, at),
    ...badPaths(described, at),
    ...badKnobs(described, at),
    ...badClassesOfKnobs(described, at),
    ...badShares(described, at),
    ...mixedShares(described, at),
    ...unreachableTotals(described, at),
    ...unreadableFields(described, at),
  ];
}

function duplicateEntries(described: Descriptor, at: string): Issue[] {
  const { knobs, families, outcomes = [], failureClasses = [], facts = [], metrics = [] } = described;
  const lists: readonly [readonly { field: string; name: string }[], string][] = [
    [knobs.map(({ name }, i) => ({ name, field: `${at}.knobs[${i}].name` })), 'each knob once'],
    [families.map(({ family }, i) => ({ name: family, field: `${at}.families[${i}].family` })), 'each family once'],
    [outcomes.map(({ outcome }, i) => ({ name: outcome, field: `${at}.outcomes[${i}].outcome` })), 'each outcome once'],
    [
      failureClasses.map((failure, i) => ({ name: failure.class, field: `${at}.failureClasses[${i}].class` })),
      'each failure class once',
    ],
    [facts.map(({ fact }, i) => ({ name: fact, field: `${at}.facts[${i}].fact` })), 'each fact once'],
    [metrics.map(({ metric }, i) => ({ name: metric, field: `${at}.metrics[${i}].metric` })), 'each metric once'],
  ];
  return lists.flatMap(([listed, allowed]) => duplicateNames(listed, allowed));
}

/** Each knob is a number with a path of its own; no other knob may have the same path or a path below it. */
function badPaths({ knobs }: Descriptor, at: string): Issue[] {
  const places = new Map<string, string>();
  for (const { name, path } of knobs) if (!places.has(keyOf(path))) places.set(keyOf(path), name);
  return knobs.flatMap(({ name, path }, i) => {
    const issues: Issue[] = [];
    const field = `${at}.knobs[${i}].path`;
    if (path.includes('__proto__')) {
      issues.push({ field, found: 'the key "__proto__"', allowed: 'any other name' });
    }
    for (let length = 1; length <= path.length; length++) {
      const other = places.get(keyOf(path.slice(0, length)));
      if (other === undefined || other === name) continue;
      const where = length === path.length ? 'the place' : 'a place below that';
      issues.push({ field, found: `${where} of the knob "${other}"`, allowed: 'a place of its own' });
    }
    return issues;
  });
}

const keyOf = (path: readonly string[]): string => JSON.stringify(path);

function badKnobs({ knobs, families }: Descriptor, at: string): Issue[] {
  const known = new Set(families.map(({ family }) => family));
  return knobs.flatMap(({ range: { min, max }, step, integer, family }, i) => {
    const issues: Issue[] = [];
    const field = `${at}.knobs[${i}]`;
    if (min > max) {
      issues.push({ field: `${field}.range`, found: `min ${min} above max ${max}`, allowed: 'min <= max' });
    } else if (max > min && step > (max - min) * (1 + 1e-9)) {
      const allowed = `at most ${max - min}, the width of the range`;
      issues.push({ field: `${field}.step`, found: String(step), allowed });
    }
    if (integer === true && !(Number.isInteger(min) && Number.isInteger(max))) {
      const allowed = 'whole numbers, as the knob is one';
      issues.push({ field: `${field}.range`, found: `min ${min}, max ${max}`, allowed });
    }
    if (integer === true && !Number.isInteger(step)) {
      issues.push({ field: `${field}.step`, found: String(step), allowed: 'a whole number, as the knob is one' });
    }
    if (family !== null && !known.has(family)) {
      issues.push({
        field: `${field}.family`,
        found: `"${family}"`,
        allowed: 'a family listed in `families`, or null',
      });
    }
    return issues;
  });
}

/** A knob can provoke or teach only listed failure classes, and provoke only if the descriptor says which direction is harder. */
function badClassesOfKnobs({ knobs, failureClasses }: Descriptor, at: string): Issue[] {
  const known = failureClasses?.map((failure) => failure.class);
  const unknown = (names: readonly string[], field: string): Issue[] =>
    names.flatMap((name, j) =>
      known === undefined || known.includes(name)
        ? []
        : [{ field: `${field}[${j}]`, found: `"${name}"`, allowed: 'a class listed in `failureClasses`' }],
    );
  return knobs.flatMap(({ harder, provokes = [], teaches = [] }, i) => {
    const field = `${at}.knobs[${i}].provokes`;
    const sideless = { field, found: provokes.join(', '), allowed: 'only together with `harder`' };
    return [
      ...(provokes.length > 0 && harder === undefined ? [sideless] : []),
      ...unknown(provokes, field),
      ...unknown(teaches, `${at}.knobs[${i}].teaches`),
    ];
  });
}

function badShares({ knobs, sharesSum = [] }: Descriptor, at: string): Issue[] {
  const known = new Set(knobs.map(({ name }) => name));
  const shares = sharesSum.flatMap((sum, i) =>
    sum.knobs.map((name, j) => ({ name, field: `${at}.sharesSum[${i}].knobs[${j}]` })),
  );
  const unknown = shares.flatMap(({ name, field }) =>
    known.has(name) ? [] : [{ field, found: `"${name}"`, allowed: 'a knob listed in `knobs`' }],
  );
  return [...unknown, ...duplicateNames(shares, 'each knob a share of one whole, once')];
}

/** Whole numbers can sum to a whole total, but a sum cannot mix them with other numbers. */
function mixedShares({ knobs, sharesSum = [] }: Descriptor, at: string): Issue[] {
  const whole = new Set(knobs.flatMap(({ name, integer }) => (integer === true ? [name] : [])));
  return sharesSum.flatMap(({ knobs: names, total }, i) => {
    const count = names.filter((name) => whole.has(name)).length;
    const field = `${at}.sharesSum[${i}]`;
    if (count > 0 && count < names.length) {
      const found = `whole numbers and others: ${names.join(', ')}`;
      return [{ field: `${field}.knobs`, found, allowed: 'all of them whole numbers, or none' }];
    }
    if (count === 0 || Number.isInteger(total)) return [];
    return [{ field: `${field}.total`, found: String(total), allowed: 'a whole number, as its knobs are' }];
  });
}

/** The tolerance for rounding errors of sums of doubles. */
const slack = 1e-9;

function unreachableTotals({ knobs, sharesSum = [] }: Descriptor, at: string): Issue[] {
  const ranges = new Map(knobs.map(({ name, range }) => [name, range]));
  return sharesSum.flatMap(({ knobs: names, total }, i) => {
    const shares = [...new Set(names)].map((name) => ranges.get(name));
    if (shares.includes(undefined)) return [];
    const least = shares.reduce((sum, range) => sum + (range?.min ?? 0), 0);
    const most = shares.reduce((sum, range) => sum + (range?.max ?? 0), 0);
    if (least <= total + slack && total - slack <= most) return [];
    const allowed = `a total from ${least} to ${most}, which is what the ranges of its knobs can sum to`;
    return [{ field: `${at}.sharesSum[${i}].total`, found: String(total), allowed }];
  });
}

/** Paths into a rollout must begin at a field that rollouts have. */
function unreadableFields({ failed, failureClass, family }: Descriptor, at: string): Issue[] {
  const kind = 'any' in failed ? 'any' : 'all';
  const tests = 'any' in failed ? failed.any : failed.all;
  const reads = [
    ...tests.map(({ field }, i) => ({ at: `${at}.failed.${kind}[${i}].field[0]`, field })),
    { at: `${at}.failureClass.field[0]`, field: failureClass.field },
    { at: `${at}.family.field[0]`, field: family.field },
  ];
  return reads.flatMap(({ at, field: [first = ''] }) => {
    if (rolloutFields.includes(first)) return [];
    const near = nearestNames(first, rolloutFields);
    const which = near.length > 0 ? `, ${suggestion(near)}` : '';
    return [{ field: at, found: `"${first}"`, allowed: `a field of RolloutRecorded's data${which}` }];
  });
}

const rolloutFields: readonly string[] = Object.keys(rolloutRecorded.versions[0].shape);
