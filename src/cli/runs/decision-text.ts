// How a configuration came about, in a line: who decided, what changed, what had to be clamped, was rejected, or errored.
import type { Decision } from '../../../schemas/run-output.ts';
import { counted } from '../output/quantity.ts';
import { knobText, turnText } from './figures.ts';

const fewChanges = 3;

/** Empty where nothing is known of it. */
export function decisionText(decision: Decision): string {
  const { changes, clamps, rejections, errors, by } = decision;
  const who = whoText(decision);
  if (who === '' && changes.length === 0) return '';
  const turned = changes.slice(0, fewChanges).map((one) => `${one.knob} ${turnText(one)}`);
  const rest = changes.length > fewChanges ? [`${changes.length - fewChanges} more`] : [];
  const what = changes.length === 0 ? 'nothing changes' : [...turned, ...rest].join(', ');
  const clamped = clamps.length === 0 ? [] : [clampsText(clamps)];
  const rejected = rejections.map((one) => rejectionText(one, by === 'kept' && rejections.length === 1));
  const errored = errors.map(({ kind, message }) => `${kind}, ${message}`);
  return `${who === '' ? '' : `${who}: `}${[what, ...clamped, ...rejected, ...errored].join('; ')}`;
}

export function whoText({ by, who }: Pick<Decision, 'by' | 'who'>): string {
  if (by === 'kept') return who === null ? 'kept' : `kept after asking ${who}`;
  if (by === 'errored') return `errored${who === null ? '' : `, asking ${who}`}`;
  if (by === 'initial') return 'the initial configuration';
  return who ?? (by === 'human' ? 'a person' : '');
}

function clampsText(clamps: Decision['clamps']): string {
  const [first] = clamps;
  if (first === undefined) return '';
  const one = `${first.knob} ${knobText(first.proposed)} → ${knobText(first.used)}, ${first.rule}`;
  return `${counted(clamps.length, 'clamp')} (${one}${clamps.length > 1 ? ', …' : ''})`;
}

function rejectionText({ engineer, reason, issues }: Decision['rejections'][number], isOnlyOne: boolean): string {
  const [issue] = issues;
  const whose = isOnlyOne ? 'its answer' : `an answer of ${engineer}`;
  const rest = issues.length > 1 ? ` and ${counted(issues.length - 1, 'more issue')}` : '';
  const why = issue === undefined ? '' : `, ${issue.field}: found ${issue.found}, allowed: ${issue.allowed}${rest}`;
  return `${whose} was rejected as ${reason}${why}`;
}
