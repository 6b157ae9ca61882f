// Opening the ledger a command works on: to read, only where there is one; to write, made where there is none.

import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open.ts';
import type { Context } from './context.ts';
import { ensureHome, findPlace } from './home.ts';

export async function withLedgerToRead<Result>(
  context: Context,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const { ledger } = findPlace(context.io, context.flags);
  return using(await openLedger(ledger.url, { readOnly: true }), body);
}

export async function withLedgerToWrite<Result>(
  context: Context,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const { home, ledger } = findPlace(context.io, context.flags);
  if (ledger.from === 'home' && ensureHome(home)) await context.say(`made ${home.path}`);
  return using(await openLedger(ledger.url, { create: true }), body);
}

async function using<Result>(ledger: Ledger, body: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}
