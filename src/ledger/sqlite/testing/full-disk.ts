// Runs on a disk of a few megabytes: appends until it is full, frees space, appends the same again. Prints the result as one line
// of JSON.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from '../../contract/fixture.ts';
import { evidenceStream, someRollouts } from '../../contract/samples.ts';
import { openLedger } from '../../open.ts';

const folder = process.argv[2] ?? '.';
const ballast = join(folder, 'ballast');
writeFileSync(ballast, Buffer.alloc(2 * 1024 * 1024));
const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });

let stored = 0;
let refusal: unknown;
while (refusal === undefined && stored < 1_000_000) {
  try {
    await ledger.append(evidenceStream, someRollouts(stored, 100), { expect: 'any' });
    stored += 100;
  } catch (error) {
    refusal = error;
  }
}
const { name, kind, message } = refusal as { name: string; kind: string; message: string };
const whenFull = (await collect(ledger.readAll())).length;
rmSync(ballast);
await ledger.append(evidenceStream, someRollouts(stored, 100), { expect: 'any' });
const afterwards = (await collect(ledger.readAll())).length;
await ledger.close();
console.log(JSON.stringify({ name, kind, message, stored, whenFull, afterwards }));
