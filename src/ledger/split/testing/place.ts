// A temporary place for split ledgers, with both parts in SQLite files.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Ledger, OpenOptions } from '../../ledger.ts';
import { openLedger } from '../../open.ts';

export class SplitPlace {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'icecore-split-'));
  readonly decisions: string = join(this.folder, 'decisions.db');
  readonly evidence: string = join(this.folder, 'evidence.db');
  readonly url: string = `split:sqlite:${this.decisions}+sqlite:${this.evidence}`;
  readonly #opened: Ledger[] = [];

  constructor() {
    onTestFinished(() => this.close());
  }

  async open(options: OpenOptions = { create: true }, url: string = this.url): Promise<Ledger> {
    const ledger = await openLedger(url, options);
    this.#opened.push(ledger);
    return ledger;
  }

  async close(): Promise<void> {
    for (const ledger of this.#opened.splice(0)) await ledger.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
