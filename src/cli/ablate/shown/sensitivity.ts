// What changes in a decision when one thing is not shown.
import type { Ablated, Sensitivity } from '../../../../schemas/ablation-output.ts';
import { longestName, note, type Part, table } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';
import { count } from '../../output/quantity.ts';
import { turnText } from './figures.ts';

const mostChanged = 4;

type Left = Sensitivity['left'][number];

export function sensitivityParts({ sensitivity }: Ablated, paint: Paint): readonly Part[] {
  if (sensitivity === null || sensitivity.left.length === 0) return [];
  const left = sensitivity.left.toSorted((one, other) => other.changed.length - one.changed.length);
  return [
    { kind: 'heading', text: `What ${sensitivity.arm} decides when one thing is not shown` },
    table([
      { title: 'not shown', paint: paint.bold, most: longestName, cells: left.map(({ without }) => without) },
      { title: 'knobs', align: 'right', cells: left.map(({ came, changed }) => knobsText(came, changed.length)) },
      { title: 'decided otherwise', wraps: true, cells: left.map(changedText) },
    ]),
    note('From what is decided when all of it is shown to what is decided without. The most first.'),
  ];
}

function knobsText(came: string, changed: number): string {
  return came === 'proposed' ? count(changed) : '-';
}

function changedText({ came, changed }: Left): string {
  if (came !== 'proposed') return came;
  if (changed.length === 0) return 'nothing';
  const far = ({ whole, less }: Left['changed'][number]): number =>
    whole === null || less === null ? 1 : Math.abs(whole - less) / (Math.max(Math.abs(whole), Math.abs(less)) || 1);
  const shown = changed.toSorted((one, other) => far(other) - far(one)).slice(0, mostChanged);
  const rest = changed.length - shown.length;
  const turns = shown.map(({ knob, whole, less }) => `${knob} ${turnText({ from: whole, to: less })}`);
  return `${turns.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
