// A ledger after a crash: ten notes, appended one by one, all of them still in the write-ahead log.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { note, notesStream } from '../../contract/samples.ts';
import { openLedger } from '../../open.ts';
import { pageSize } from '../layout.ts';

/** Its path; it is removed after the test. */
export async function crashed(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-crashed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [path, left] = [join(folder, 'ledger.db'), join(folder, 'left.db')];
  const ledger = await openLedger(`sqlite:${path}`, { create: true });
  for (let i = 0; i < 10; i++) await ledger.append(notesStream, [note(i)], { expect: i - 1 });
  for (const end of ['', '-wal']) copyFileSync(path + end, left + end);
  await ledger.close();
  return left;
}

/** The position of a byte of one of the log's frames: the log has a header, and so has each frame before its page. */
export function inFrame(frame: number, byte: number): number {
  return 32 + frame * (24 + pageSize) + byte;
}

/** Flips one bit of a file. */
export function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}
