// What an engineer outside of icecore wrote, read as a proposal: its content, or what is wrong with it, field by field. No
// text whatever makes the reading throw.
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Issue } from '../../../schemas/errors.ts';
import { nearestNames, perhaps } from '../../../schemas/nearest.ts';
import { found } from '../../../schemas/phrase.ts';
import { namedTwice } from '../../../schemas/sense.ts';
import { checkConfiguration } from '../environments/check-configuration.ts';
import type { Configuration } from '../environments/environment.ts';
import { inventedEvidenceIds } from './citations.ts';
import { type Content, contentOf } from './content.ts';
import { type Check, decisionOn } from './decision.ts';
import type { NoProposal } from './engineer.ts';
import { shapeIssues, type WrittenProposal } from './proposal-shape.ts';
import { proposalIn } from './proposal-text.ts';
import { changedSettings } from './settings.ts';

/** What it is held against. */
export interface Standard {
  readonly descriptor: Descriptor;
  readonly current: Configuration;
  /** What may be cited. */
  readonly evidenceIds: ReadonlySet<string>;
  /** What must hold beyond the descriptor. */
  readonly check: Check;
}

export interface Usable {
  readonly content: Content;
  /** Evidence ids it cites that do not exist: none of them is evidence. */
  readonly invented: readonly Issue[];
  /** Values that will be moved to allowed ones. */
  readonly moved: readonly Issue[];
}

export type Unusable = Pick<NoProposal, 'reason' | 'issues'>;

export function readProposal(text: string, standard: Standard): Usable | Unusable {
  if (text.trim() === '') return { reason: 'empty', issues: [whole('nothing')] };
  const meant = proposalIn(text);
  if ('instead' in meant) return { reason: 'unreadable', issues: [whole(meant.instead)] };
  const misshapen = shapeIssues(meant.object);
  if (misshapen.length > 0) return { reason: 'invalid', issues: misshapen };
  return judged(contentOf(meant.object as WrittenProposal), standard);
}

/** What is wrong with all of it. */
export function whole(found: string): Issue {
  return { field: 'answer', found, allowed: 'a JSON object with the configuration and the reasons for it' };
}

function judged(content: Content, { descriptor, current, evidenceIds, check }: Standard): Usable | Unusable {
  const { configuration } = content;
  const moved = checkConfiguration(descriptor, configuration, current).map(within);
  const invented = inventedEvidenceIds(content, evidenceIds);
  const said = [...strangers(descriptor, content), ...wrongPredictions(descriptor, content)];
  let isImpossible = false;
  const made = decisionOn(descriptor, current, { ...content, reasons: [], kept: null }, (adjusted) => {
    const issues = check(adjusted);
    isImpossible = issues.length > 0;
    return issues;
  });
  if ('issues' in made && !isImpossible) return { reason: 'invalid', issues: [...moved, ...said, ...invented] };
  const wrong = [...changedSettings(descriptor, current, configuration).map(within), ...said];
  if (wrong.length > 0) return { reason: 'invalid', issues: [...wrong, ...moved, ...invented] };
  if ('issues' in made) return { reason: 'impossible', issues: [...made.issues.map(within), ...moved, ...invented] };
  return { content, invented, moved };
}

/** A field of the configuration as a field of the proposal. */
function within({ field, ...issue }: Issue): Issue {
  const dot = field === '' || field.startsWith('[') ? '' : '.';
  return { ...issue, field: `configuration${dot}${field}` };
}

/** Knobs that are none. */
function strangers({ knobs }: Descriptor, { reasons, kept }: Content): Issue[] {
  const known = new Set(knobs.map(({ name }) => name));
  const lists = { reasons, kept: kept ?? [] };
  return Object.entries(lists).flatMap(([list, all]) =>
    all.flatMap(({ knob }, i) => (known.has(knob) ? [] : [unknown(`${list}[${i}].knob`, knob, 'knob', known)])),
  );
}

function wrongPredictions({ families }: Descriptor, { predictions }: Content): Issue[] {
  const known = new Set(families.map(({ family }) => family));
  const all = predictions ?? [];
  return [
    ...all.flatMap(({ family }, i) =>
      known.has(family) ? [] : [unknown(`predictions[${i}].family`, family, 'family', known)],
    ),
    ...namedTwice(
      all.map(({ family, measure }, i) => ({ name: `${measure} of ${family}`, field: `predictions[${i}]` })),
      'each family once',
    ),
  ];
}

function unknown(field: string, name: string, kind: string, known: ReadonlySet<string>): Issue {
  const near = nearestNames(name.slice(0, longestName), known);
  const which = near.length > 0 ? `, ${perhaps(near)}` : '';
  return { field, found: found(name), allowed: `a ${kind} of the environment${which}` };
}

/** Only so much of a name is compared with others. */
const longestName = 60;
