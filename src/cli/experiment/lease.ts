// How long a claim holds without being renewed, as it is typed: 30s, 2m, or seconds alone.
import { IcecoreError } from '../../../schemas/errors.ts';
import { usualLease } from '../../producers/run/conduct.ts';

const secondsIn = { s: 1, m: 60, h: 3600 } as const;
const shortest = 0.5;
const longest = 86_400;

/** In seconds. */
export function leaseFrom(text: string | undefined): number {
  if (text === undefined) return usualLease;
  const [, number, unit = 's'] = /^([0-9]+(?:\.[0-9]+)?)([smh]?)$/.exec(text) ?? [];
  const seconds = Number(number) * secondsIn[(unit || 's') as keyof typeof secondsIn];
  if (seconds >= shortest && seconds <= longest) return seconds;
  const allowed = 'a time from 0.5s to 24h, such as 30s or 2m';
  throw new IcecoreError('usage', `--lease: found "${text}", allowed: ${allowed}`, {
    facts: { field: '--lease', found: text, allowed },
  });
}
