// A run that a newer version continued cannot be continued by this one, which would decide again what is already
// decided.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { openLedger } from '../../ledger/open.ts';
import { Tampering } from '../../ledger/sqlite/testing/tamper.ts';
import { AblationJournal } from '../ablation/journal.ts';
import { Journal } from './journal.ts';
import { tinyPlace } from './testing/tiny.ts';

const run = 'k3v9q2m8x1tz';
const check = async (): Promise<void> => {};
const blobs = async () => expect.fail('nothing is long here');

it.each([
  ['run', streamOf.run(run), 'ConfigAdopted', (ledger) => Journal.open(run, { ledger, blobs, check })],
  ['ablation', streamOf.ablation(run), 'ArmProposed', (ledger) => AblationJournal.open(run, { ledger, blobs, check })],
] satisfies readonly [string, string, string, (ledger: Awaited<ReturnType<typeof openLedger>>) => Promise<unknown>][])(
  'a %s with an event of a newer version is not resumed',
  async (_, stream, type, open) => {
    const place = await tinyPlace();
    const { event } = golden(`${type}.v1`);
    await place.ledger.append(stream, [event], { expect: 'any' });
    await open(place.ledger);
    await place.ledger.close();
    const path = join(place.folder, 'ledger.db');
    const tampering = new Tampering(path);
    for (const { position, body, digest } of tampering.bodies())
      tampering.rewrite(position, Buffer.from(body.toString().replace(/"version":1\}$/, '"version":2}')), digest);
    tampering.close();
    const ledger = await openLedger(`sqlite:${path}`);
    await expect(open(ledger)).rejects.toMatchObject({
      name: 'NewerHistory',
      facts: { type, version: 2, revision: 0 },
    });
    expect(await collect(ledger.read(stream))).toHaveLength(1);
    await ledger.close();
    await place.close();
  },
);
