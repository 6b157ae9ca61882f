// Alerts in words.
import type { StageRow } from '../../../schemas/run-output.ts';
import { numberWords, percent } from '../../charts/words.ts';
import { Plain } from '../parts.tsx';

type Alert = StageRow['alerts'][number];

export function AlertList({ alerts }: { readonly alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null;
  return (
    <ul class="alerts">
      {alerts.map((alert) => (
        <li key={alertWords(alert)}>
          <strong class="warning">Alert:</strong> <Plain text={alertWords(alert)} />
        </li>
      ))}
    </ul>
  );
}

const kinds: Readonly<Record<Alert['kind'], string>> = {
  'signal-collapse': 'the learning signal collapsed',
  forgetting: 'what was mastered is being forgotten',
};

function alertWords({ kind, family, measure, before, now, message = '' }: Alert): string {
  const where = family === null ? '' : ` in family ${family}`;
  const more = message === '' ? '' : `. ${message}`;
  return `${kinds[kind]}${where}: ${measure} ${scoreWords(before)} → ${scoreWords(now)}${more}`;
}

function scoreWords(score: Alert['now']): string {
  if (typeof score !== 'number') return score.reason;
  return score >= 0 && score <= 1 ? percent(score) : numberWords(score);
}
