// Whatever number of whatever event of a run is forged: it is found, or documented as one that nothing vouches for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvalidEvents } from '../../ledger/errors.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { verifyLedger } from '../../ledger/verify/verify.ts';
import { type TinyPlace, tinyPlace } from '../run/testing/tiny.ts';
import { again, recordedRun } from './testing/again.ts';
import { forge } from './testing/forging.ts';
import { fieldAt, numbersIn, type Path, withNumber } from './testing/numbers.ts';
import { unsupportedFields } from './unsupported.ts';

interface Place {
  readonly event: string;
  readonly path: Path;
}

let place: TinyPlace;
/** By type and field, so that the many numbers of rollouts do not hide the few of decisions. */
const fields = new Map<string, Place[]>();

beforeAll(async () => {
  place = await recordedRun();
  for await (const events of place.ledger.readAll()) {
    for (const event of events) {
      for (const path of numbersIn(event.envelope.data)) {
        const key = `${event.type} ${fieldAt(path)}`;
        fields.set(key, [...(fields.get(key) ?? []), { event: event.id, path }]);
      }
    }
  }
}, 60_000);

afterAll(() => place.close());

function isUnsupported(key: string): boolean {
  const [type = '', field = ''] = key.split(' ');
  const listed = ['measured', ...(unsupportedFields[type] ?? [])];
  return listed.some((one) => field === one || field.startsWith(`${one}.`) || field.startsWith(`${one}[`));
}

/** What a seal and a cause say of evidence is made anew by whoever forges. */
const remade: readonly string[] = ['EvidenceSealed attempts[].count'];

async function isFound({ event, path }: Place, change: (before: number) => number): Promise<boolean> {
  const copy = await tinyPlace();
  const forged = ({ id }: StoredEvent, data: unknown) => (id === event ? withNumber(data, path, change) : data);
  try {
    await forge(place.ledger, copy.ledger, forged);
    const blobs = `folder:${join(place.folder, 'blobs')}`;
    const { faults } = await verifyLedger(copy.ledger.url, { blobs, run: null, head: null });
    return faults > 0 || (await again(copy.ledger)).findings.faults > 0;
  } catch (fault) {
    if (fault instanceof InvalidEvents) return true;
    throw fault;
  } finally {
    await copy.close();
  }
}

describe('a number that somebody forged in a recorded run, with digests, chains and seals that fit', () => {
  it('is found, whichever it is, or documented as one that nothing vouches for', async () => {
    const keys = [...fields.keys()].filter((key) => !isUnsupported(key) && !remade.includes(key));
    const changes = [(n: number) => n + 1, (n: number) => n * 0.9375 - 0.03125, (n: number) => -n - 1];
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.constantFrom(...changes), async (field, which, change) => {
        const key = keys[field % keys.length] as string;
        const places = fields.get(key) ?? [];
        const found = await isFound(places[which % places.length] as Place, change);
        expect(found ? null : key).toBe(null);
      }),
      { numRuns: 12 },
    );
  }, 60_000);

  it('is documented where nothing vouches for it', () => {
    const documented = readFileSync('docs/trust.md', 'utf8');
    for (const [type, names] of Object.entries(unsupportedFields)) {
      const row = documented.split('\n').find((line) => line.startsWith(`| \`${type}\` |`)) ?? '';
      expect([...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name).slice(1)).toEqual(names);
    }
  });
});
