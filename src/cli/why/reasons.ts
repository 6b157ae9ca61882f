// Why a knob was turned or kept, as an outline: what is said, what is cited, its figures, and the rollouts they lead to.
import type { Why, WhyEvidence, WhyExemplar, WhyReasons } from '../../../schemas/why-output.ts';
import { figureText, subjectText } from './figures.ts';
import { type Branch, type Line, leaf, line, perhaps } from './outline.ts';

/** The rollouts that were drawn already: each is drawn once. */
export type Drawn = Set<string>;

export function reasonLines({ says, cites, verdict, restsOn }: WhyReasons, depth: number): readonly Line[] {
  const isBare = cites === null || cites.length === 0;
  const tone = restsOn === 'its group' && verdict.startsWith('rests') ? 'quiet' : 'warning';
  const cited = isBare || depth > 2 ? verdict : `because ${cites.join(', ')}: ${verdict}`;
  if (depth < 2) return restsOn === 'its group' ? [] : [line(verdict, tone)];
  return [...perhaps(says === null ? null : `"${says}"`), line(cited, tone)];
}

export function reasonBranches({ evidence }: WhyReasons, why: Why, drawn: Drawn): readonly Branch[] {
  if (why.depth < 3) return [];
  const width = Math.max(0, ...evidence.map(({ label }) => label.length));
  const labels = [...new Set(evidence.flatMap(({ exemplars }) => exemplars))];
  const seen = labels.flatMap((label) => why.exemplars.find((one) => one.label === label) ?? []);
  const figures = evidence.filter(({ label }) => !seen.some((one) => one.label === label));
  return [
    ...figures.map((one) => evidenceBranch(one, width, why.stage)),
    ...seen.map((one) => exemplarBranch(one, evidence, drawn)),
    ...(why.depth === 4 && labels.length === 0 && evidence.some(isOfRollouts)
      ? [leaf('none of the rollouts behind was shown', 'quiet')]
      : []),
  ];
}

function isOfRollouts({ status, counts }: WhyEvidence): boolean {
  return status === 'shown' && counts === true;
}

function evidenceBranch(evidence: WhyEvidence, width: number, stage: number): Branch {
  const { label, since, text, note, status } = evidence;
  const now = since === null ? '' : `after stage ${stage} ${figureText(since)}`;
  const missing = note === null ? '' : status === 'not-shown' ? `not shown: ${note}` : note;
  const words = [standsFor(evidence), now, concernText(evidence), missing].filter((word) => word !== '');
  const isSound = note === null && evidence.concerns !== 'another group' && evidence.counts !== false;
  const first = line(`${label.padEnd(width)}  ${words.join('; ')}`.trimEnd(), isSound ? 'plain' : 'warning');
  return { lines: [first, ...(text ?? '').split('\n').flatMap((one) => perhaps(one.trim()))], branches: [] };
}

/** A figure, or a rollout that is not told of at this depth. */
function standsFor({ label, figure, exemplars, group }: WhyEvidence): string {
  if (figure !== null) return [subjectText(label, figure), figureText(figure)].filter((word) => word !== '').join(' ');
  return exemplars.includes(label) ? rolloutText(group) : '';
}

function rolloutText(group: string | null): string {
  return `a rollout${group === null ? '' : ` of group ${group}`}`;
}

/** Empty where it concerns what it is cited for. */
function concernText({ concerns, group, counts, module }: WhyEvidence): string {
  const whose = group === null ? 'of all groups' : `of group ${group}`;
  const words = [
    ...(concerns === 'another group' ? [`${whose}, another one`] : concerns === 'in part' ? [whose] : []),
    ...(counts === false ? [`tells nothing of what the policy did${module === null ? '' : ` (${module})`}`] : []),
  ];
  return words.join('; ');
}

function exemplarBranch(exemplar: WhyExemplar, evidence: readonly WhyEvidence[], drawn: Drawn): Branch {
  const { label, says, drawing, note } = exemplar;
  const first = line(`${label}  ${headText(exemplar, evidence)}`);
  if (drawn.has(label)) return { lines: [line(`${first.text}; see above`)], branches: [] };
  drawn.add(label);
  return {
    lines: [
      first,
      ...perhaps(says === null || drawing?.includes(says) === true ? null : `"${says}"`),
      ...(drawing === null ? [] : [{ text: drawing, tone: 'plain', isDrawn: true } as const]),
      ...perhaps(note, 'warning'),
    ],
    branches: [],
  };
}

/** `a rollout of group 8: hole in step 1; evidence-k3v-1-0-0@17`. */
function headText(exemplar: WhyExemplar, evidence: readonly WhyEvidence[]): string {
  const { label, group, class: failureClass, failures, rollout, stage } = exemplar;
  const own = evidence.find((one) => one.label === label);
  const step = failures[0]?.step ?? null;
  const how = `${failureClass ?? exemplar.outcome ?? 'it failed'}${step === null ? '' : ` in step ${step}`}`;
  const where = rollout.stream === null ? rollout.event : `${rollout.stream}@${rollout.revision}`;
  const when = stage === null ? '' : ` in stage ${stage}`;
  const whose = `${rolloutText(group)}${when}: ${how}`;
  const concern = own === undefined ? '' : concernText(own);
  return [whose, concern, `icecore event ${where}`].filter((word) => word !== '').join('; ');
}
