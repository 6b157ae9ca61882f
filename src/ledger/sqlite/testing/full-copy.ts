// Runs on a disk of a few megabytes: copies a ledger to it until it is full, frees space, copies again. Prints the result as one
// line of JSON.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyLedger } from '../../copy/copy.ts';
import { openLedger } from '../../open.ts';

const [, , url = '', folder = '.'] = process.argv;
const ballast = join(folder, 'ballast');
const from = await openLedger(url, { readOnly: true });
const to = await openLedger(`sqlite:${join(folder, 'copy.db')}`, { create: true, createAs: from.id });
writeFileSync(ballast, Buffer.alloc(5 * 1024 * 1024));

const nowhere = { has: async () => false, put: async () => {}, erase: async () => {} };
const copy = () => copyLedger({ from, to, fromBlobs: null, toBlobs: nowhere }, { run: null });

const refusal = await copy().then(
  () => null,
  ({ name, message }: Error) => ({ name, message }),
);
const { events: whenFull } = await to.head();
rmSync(ballast);
const { proof: afterwards } = await copy();
await to.close();
console.log(JSON.stringify({ refusal, whenFull, afterwards }));
