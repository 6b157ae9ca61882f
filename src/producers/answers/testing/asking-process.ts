// A process that asks a model several questions at a time until it is done or killed. It prints the key of each answer.

import { modelAt, question } from '../../../lab/models/testing/models.ts';
import { openBlobs } from '../../../ledger/blobs/open.ts';
import { openLedger } from '../../../ledger/open.ts';
import { LedgerBook } from '../answers.ts';
import { type Orders, questionOf } from './orders.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const ledger = await openLedger(orders.ledger);
const blobs = await openBlobs(orders.blobs);
const book = new LedgerBook(ledger, { url: blobs.url, toRead: async () => blobs, toWrite: async () => blobs });
const model = modelAt(orders.endpoint, { concurrency: 4 }, { book });
const asking = Array.from({ length: orders.questions }, async (_, i) => {
  const { key } = await model.ask(question(questionOf(i)));
  process.stdout.write(`${key}\n`);
});
await Promise.all(asking);
await model.close();
await ledger.close();
await blobs.close();
