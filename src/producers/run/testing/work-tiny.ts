// A worker of a tiny run, which knows only what is recorded.

import { join } from 'node:path';
import { runSettings } from '../../../../schemas/run-file.ts';
import { registry } from '../../../../testbed/testing/registry.ts';
import { allowingAll } from '../../../lab/programs/testing/allowed.ts';
import { openBlobs } from '../../../ledger/blobs/open.ts';
import { LedgerBook } from '../../answers/answers.ts';
import { readHistory } from '../../history/reading.ts';
import { Models } from '../../models/models.ts';
import { withRecorded } from '../../models/recorded.ts';
import { environmentOf } from '../opening.ts';
import { openPlayers, type Working, work } from '../shards/worker.ts';
import type { TinyPlace } from './tiny.ts';

export interface TinyWork extends Partial<Pick<Working, 'signal' | 'tell' | 'leaseSeconds' | 'limits'>> {
  readonly run: string;
}

export async function workTiny({ folder, ledger }: Omit<TinyPlace, 'close'>, tiny: TinyWork): Promise<void> {
  const { run, ...others } = tiny;
  const history = await readHistory(ledger, run);
  const settings = runSettings.parse(history.started?.data.options);
  const allow = allowingAll();
  const environment = await environmentOf(settings, { allow, registry });
  const store = await openBlobs(`folder:${join(folder, 'blobs')}`);
  const book = new LedgerBook(ledger, { url: store.url, toRead: async () => store, toWrite: async () => store });
  const entries = withRecorded(new Map(), history.started?.data.policy);
  const models = new Models({ entries, environment: { THE_KEY: 'sk-very-secret' }, permit: () => {}, book });
  const lab = await openPlayers(settings, environment, {
    cwd: process.cwd(),
    entries,
    models,
    allow,
    registry,
    threads: 1,
  });
  try {
    await work({
      ...{ ledger, blobs: async () => store, history, settings, lab },
      folder: join(folder, `runs-of-${process.pid}`, run),
      leaseSeconds: 60,
      signal: new AbortController().signal,
      tell: async () => {},
      ...others,
    });
  } finally {
    await environment.close();
    await models.close();
    await book.settled();
    await store.close();
  }
}
