// Uses every operation of the store on its file once, watched by a guard. First it makes sure that the guard works.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { collect } from '../../contract/fixture.ts';
import { evidenceStream, note, notesStream, someRollouts } from '../../contract/samples.ts';
import { checkLedger } from '../../health.ts';
import { openLedger } from '../../open.ts';
import { migrate } from '../connection.ts';

const path = process.argv[2] ?? '';
const url = `sqlite:${path}`;

const ledger = await openLedger(url, { create: true });
requireGuard();
await ledger.append(notesStream, [note(0)], { expect: 'none' });
await ledger.append(evidenceStream, someRollouts(0, 1000), { expect: 'any' });
await collect(ledger.readAll());
await collect(ledger.read(notesStream, { backwards: true }));
await ledger.find('0000');
for await (const delivery of ledger.subscribe()) if (delivery.kind === 'caught-up') break;
await checkLedger(url);
await migrate(path);
await ledger.close();
const found = readdirSync(dirname(path)).filter((name) => name.startsWith('guarded') && name.endsWith('.db'));
console.log(JSON.stringify(found.map((name) => basename(name))));

function requireGuard(): void {
  try {
    readFileSync(path);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('readFileSync of')) return;
  }
  throw new Error('nobody watches');
}
