// Every forged number of every event of a run is found, or documented as not verifiable.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recordedRun } from './testing/again.ts';
import { numbersOf, requireFound, unsupportedFields } from './testing/every-number.ts';

it('a forged number in a recorded run, with consistent digests, chains and seals, is found at any place', async () => {
  const place = await recordedRun();
  try {
    await requireFound(place, await numbersOf(place.ledger), 12);
  } finally {
    await place.close();
  }
}, 180_000);

it('every field that cannot be verified is documented', () => {
  const documented = readFileSync('docs/trust.md', 'utf8');
  for (const [type, names] of Object.entries(unsupportedFields)) {
    const row = documented.split('\n').find((line) => line.startsWith(`| \`${type}\` |`)) ?? '';
    expect([...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name).slice(1)).toEqual(names);
  }
});
