// The outcome of a proposal: the configuration as the environment allows it, the changes with their reasons and the
// values moved into range; or the issues that make it unusable.

import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { fieldOf, found, type Issue } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { adjusted, checkConfiguration, differences } from '../environments/configuration.ts';
import { type Configuration, digestOf } from '../environments/environment.ts';
import { knobNamed, memberOf, withKnob } from '../environments/knobs.ts';
import type { Proposal, Reason } from './engineer.ts';

type Adoption = Pick<EventData['ConfigAdopted'], 'changes' | 'kept' | 'clamps' | 'rationale'>;
type Change = Adoption['changes'][number];

export interface Decision extends Adoption {
  readonly configuration: Configuration;
}

/** The environment's own check of a configuration, beyond its descriptor. */
export type Check = (configuration: Configuration) => readonly Issue[];

/** Returns issues if the configuration cannot be used even after clamping. */
export function decisionOn(
  descriptor: Descriptor,
  current: Configuration,
  proposal: Proposal,
  check: Check,
): { readonly decision: Decision } | { readonly issues: readonly Issue[] } {
  const proposed = proposal.configuration;
  if (!isObject(proposed)) return { issues: checkConfiguration(descriptor, proposed, current) };
  const { configuration, clamps } = adjusted(descriptor, proposed);
  const issues = [...checkConfiguration(descriptor, configuration, current), ...strangers(descriptor, proposal)];
  if (issues.length > 0) return { issues };
  const more = check(configuration);
  if (more.length > 0) return { issues: more };
  const changes = differences(descriptor, current, configuration).map(
    (difference): Change => ({ ...difference, ...reasonFor(proposal.reasons, difference.knob) }),
  );
  const changed = new Set(changes.map(({ knob }) => knob));
  const kept = proposal.kept?.filter(({ knob }) => !changed.has(knob)) ?? null;
  return {
    decision: {
      configuration,
      changes,
      kept:
        kept === null
          ? null
          : onceEach(kept).map((reason) => ({ ...recorded(reason), ...keptKnob(descriptor, reason) })),
      clamps: [...clamps],
      rationale: proposal.rationale,
    },
  };
}

function keptKnob(descriptor: Descriptor, { knob }: Reason): { knob: string; family: string | null } {
  return { knob, family: knobNamed(descriptor, knob).family };
}

/** Reasons for unknown knobs. */
function strangers({ knobs }: Descriptor, { reasons, kept }: Proposal): Issue[] {
  const known = new Set(knobs.map(({ name }) => name));
  return [
    ...reasons.map(({ knob }, i) => ({ knob, field: `reasons[${i}].knob` })),
    ...(kept ?? []).map(({ knob }, i) => ({ knob, field: `kept[${i}].knob` })),
  ]
    .filter(({ knob }) => !known.has(knob))
    .map(({ knob, field }) => ({ field, found: JSON.stringify(knob), allowed: 'a knob of the environment' }));
}

function reasonFor(reasons: readonly Reason[], knob: string): Pick<Change, 'cites' | 'reason'> {
  const reason = reasons.find((one) => one.knob === knob);
  return reason === undefined ? { cites: null, reason: null } : recorded(reason);
}

function recorded({ cites, reason }: Reason): Pick<Change, 'cites' | 'reason'> {
  return { cites: cites === null ? null : [...cites], reason };
}

function onceEach(reasons: readonly Reason[]): readonly Reason[] {
  return reasons.filter(({ knob }, i) => reasons.findIndex((one) => one.knob === knob) === i);
}

// Settings that are not knobs belong to the environment. An engineer may not change them, because no recorded change
// would show it.

/** Settings that differ. Events can hold both values. */
export function changedSettings(descriptor: Descriptor, current: Configuration, proposed: Configuration): Issue[] {
  const [was, is] = [withoutKnobs(descriptor, current), withoutKnobs(descriptor, proposed)];
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return keys.flatMap((key) => {
    const [before, after] = [memberOf(was, key), memberOf(is, key)];
    if (digestOf(before ?? null) === digestOf(after ?? null)) return [];
    const allowed = before === undefined ? 'no such setting' : `${found(before)} as before: it is not a knob`;
    return [{ field: fieldOf([key]), found: found(after), allowed }];
  });
}

function withoutKnobs({ knobs }: Descriptor, configuration: Configuration): Configuration {
  return knobs.reduce((all, knob) => withKnob(all, knob, 0), configuration);
}
