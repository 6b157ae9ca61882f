// How well a change stands: what of what it cites was shown, concerns its group, and tells of what the policy did. Told as
// the view knob_changes tells it, judged as the citation score does, and put in words.
import type { RestsOn, WhyEvidence } from '../../../schemas/why-output.ts';
import { bearingOf, isEvidence, type Labels } from '../../producers/proposals/citation-score.ts';

export interface Cited {
  readonly group: string | null;
  readonly because: readonly string[] | null;
}

type Concern = WhyEvidence['concerns'];

/** `about` is the group a label is of. */
export function concernOf(about: string | null, group: string | null): Concern {
  if (about === group) return 'its group';
  return about === null || group === null ? 'in part' : 'another group';
}

const best: readonly RestsOn[] = ['its group', 'in part', 'another group', 'unknown'];

/** `labels`: null where nobody knows what was shown. */
export function restsOn({ group, because }: Cited, labels: Labels | null): RestsOn {
  if (because === null || because.length === 0) return 'nothing';
  if (labels === null) return 'no context';
  const met = because.map((label): RestsOn => {
    const shown = Object.hasOwn(labels, label) ? labels[label] : undefined;
    return shown === undefined ? 'unknown' : (concernOf(shown.group, group) ?? 'unknown');
  });
  return best.find((one) => met.includes(one)) ?? 'nothing';
}

/** The share of what it cites that bears on it; null where nothing was shown that could have been cited. */
export function groundOf({ group, because }: Cited, labels: Labels | null): number | null {
  return bearingOf({ group, because: because === null ? null : [...because] }, labels);
}

/** Null where nobody knows what was shown. */
export function countsAsEvidence(label: string, labels: Labels | null): boolean | null {
  if (labels === null) return null;
  const shown = Object.hasOwn(labels, label) ? labels[label] : undefined;
  return shown === undefined ? null : isEvidence(label, shown);
}

/** As a sentence without a full stop, of what somebody turned or kept. */
export function verdictOn({ group, because }: Cited, labels: Labels | null): string {
  const cited = [...new Set(because ?? [])];
  if (cited.length === 0) return because === null ? 'cites nothing: nobody said on what it rests' : 'cites nothing';
  if (labels === null) return `cites ${cited.join(', ')}, and nobody knows what was shown`;
  const known = cited.filter((label) => Object.hasOwn(labels, label));
  const strange = cited.filter((label) => !known.includes(label));
  const telling = known.filter((label) => countsAsEvidence(label, labels) === true);
  const idle = known.filter((label) => !telling.includes(label));
  const concerning = (concern: Concern): string[] =>
    telling.filter((label) => concernOf(labels[label]?.group ?? null, group) === concern);
  const [own, part, other] = [concerning('its group'), concerning('in part'), concerning('another group')];
  const inWords: readonly (readonly [labels: readonly string[], words: string])[] = [
    [own, `rests on ${evidence(own)} ${group === null ? 'of all groups' : 'of its group'}`],
    [part, `rests in part on ${evidence(part)} ${group === null ? 'of single groups' : 'of all groups'}`],
    [other, `cites ${evidence(other)} of another group`],
    [idle, `cites what tells nothing of what the policy did: ${idle.join(', ')}`],
    [strange, `cites what was not shown: ${strange.join(', ')}`],
  ];
  const found = inWords.flatMap(([which, words]) => (which.length === 0 ? [] : [words]));
  const isBare = own.length + part.length === 0;
  return `${found.join('; ')}${isBare ? '; nothing bears it' : ''}`;
}

function evidence(labels: readonly string[]): string {
  return labels.length === 1 ? 'evidence' : `${labels.length} pieces of evidence`;
}
