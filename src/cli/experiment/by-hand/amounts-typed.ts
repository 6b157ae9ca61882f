// What a training took and how much there was to learn, as it is typed: `--spent agent-steps=30_000`, `--signal 24/96`,
// `--signal 8=24/96`.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { nearestNames } from '../../../../schemas/nearest.ts';
import type { Budget, Signal } from '../../../lab/trainers/trainer.ts';
import { wholeNumberIn } from '../../values.ts';

const range = { from: 0, to: Number.MAX_SAFE_INTEGER };

export function spentFrom(text: string): Budget {
  const spent: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [unit = '', amount] = part.split('=').map((word) => word.trim());
    if (!/^[\w-]+$/.test(unit) || amount === undefined || Object.hasOwn(spent, unit)) throw badSpent(text);
    spent[unit] = wholeNumberIn(amount, `--spent, ${unit}`, range);
  }
  return spent;
}

/** `families` are those of the environment; null: any. */
export function signalFrom(text: string, families: readonly string[] | null): Signal {
  const [, family, some = '', all = ''] = /^(?:(.+)=)?([0-9_]+)\/([0-9_]+)$/.exec(text) ?? [];
  if (all === '') throw badSignal(text, 'WITH/ALL, or FAMILY=WITH/ALL', []);
  if (family !== undefined && families !== null && !families.includes(family)) {
    throw badSignal(text, `the families ${families.join(', ')}`, nearestNames(family, families));
  }
  const compared = wholeNumberIn(all, '--signal', { ...range, from: 1 });
  const withVariance = wholeNumberIn(some, '--signal', { from: 0, to: compared });
  return { family: family ?? null, sampleGroups: compared, withVariance, share: withVariance / compared };
}

function badSpent(text: string): IcecoreError {
  return new IcecoreError(
    'usage',
    `--spent: found "${text}", allowed: units each once, as agent-steps=30_000,updates=26`,
    {
      facts: { field: '--spent', found: text },
    },
  );
}

function badSignal(text: string, allowed: string, near: readonly string[]): IcecoreError {
  return new IcecoreError('usage', `--signal: found "${text}", allowed: ${allowed}`, {
    facts: { field: '--signal', found: text, nearest: near },
    remedy:
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : 'For example 8=24/96: of 96 sample groups of family 8, rewards differed in 24.',
  });
}
