// Whatever number of whatever event of a run is forged: it is found, or documented as one that nothing vouches for.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recordedRun } from './testing/again.ts';
import { numbersOf, requireFound, unsupportedFields } from './testing/every-number.ts';

it('a number that somebody forged in a recorded run, with digests, chains and seals that fit, is found, whichever it is', async () => {
  const place = await recordedRun();
  try {
    await requireFound(place, await numbersOf(place.ledger), 12);
  } finally {
    await place.close();
  }
}, 180_000);

it('a number that nothing vouches for is documented', () => {
  const documented = readFileSync('docs/trust.md', 'utf8');
  for (const [type, names] of Object.entries(unsupportedFields)) {
    const row = documented.split('\n').find((line) => line.startsWith(`| \`${type}\` |`)) ?? '';
    expect([...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name).slice(1)).toEqual(names);
  }
});
