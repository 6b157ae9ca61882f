// Kills a copy in the middle of its work many times, and checks each time what it left: a beginning of the original, with every
// blob that it names.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { streamOf } from '../../../../schemas/streams.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import { finished } from '../../contract/samples.ts';
import type { Ledger } from '../../ledger.ts';
import { namedBy } from '../../named-blobs.ts';
import { AttemptTree } from '../../seal/attempt.ts';
import { Span } from '../../seal/span.ts';
import { compare } from '../compare.ts';
import { type CopyBench, streamNames } from './copy-bench.ts';
import { rollout, spoken, textIn } from './history.ts';

const program = fileURLToPath(new URL('./copy-process.ts', import.meta.url));

/** The approximate number of lines that a copy from scratch prints: two per blob, and some for what it creates, copies and proves. */
const linesOfACopy = 505;

const evidence = 'evidence-a-1-0-0';

/** 4,000 events of a reported attempt, every sixteenth of which names its own blob. */
export async function recordWithBlobs(ledger: Ledger, blobs: Blobs): Promise<void> {
  for (let from = 0; from < 4000; from += 500) {
    const events = Array.from({ length: 500 }, async (_, i) => {
      const index = from + i;
      if (index % 16 > 0) return rollout(evidence, index);
      return spoken(evidence, index, await textIn(blobs, `completion ${index} `.repeat(1 + (index % 700))));
    });
    await ledger.append(evidence, await Promise.all(events), { expect: 'any' });
  }
  const event = finished(await new AttemptTree(ledger, evidence).seal());
  await ledger.append(streamOf.work(event.run ?? ''), [event], { expect: 'any' });
}

export interface KilledCopies {
  /** Copies that completed between the kills, and after them. */
  readonly finished: number;
  readonly faults: readonly string[];
}

/** `moment`, from 0 to 1 for each process, determines how long it runs: not at all, or as long as a copy takes. */
export async function killCopies(
  bench: CopyBench,
  kills: number,
  moment: (process: number) => number,
  { name = 'copy', onKill }: { name?: string; onKill?: (kill: number, faults: number) => void } = {},
): Promise<KilledCopies> {
  const faults: string[] = [];
  let finished = 0;
  const look = async (what: string, isFinished: boolean) => {
    const fault = await faultOf(bench, `${name}-${finished}`, isFinished);
    if (fault !== null) faults.push(`${what}: ${fault}`);
  };
  for (let process = 1, kill = 1; kill <= kills; process++) {
    const lines = Math.floor(moment(process) * linesOfACopy);
    if (await copyFor(lines, bench.url('original'), bench.url(`${name}-${finished}`))) {
      await look(`kill ${kill}`, false);
      onKill?.(kill, faults.length);
      kill++;
    } else {
      await look(`copy ${finished}`, true);
      finished++;
    }
  }
  await copyFor(Number.POSITIVE_INFINITY, bench.url('original'), bench.url(`${name}-${finished}`));
  await look(`copy ${finished}`, true);
  return { finished: finished + 1, faults };
}

/** Starts a copy and kills it when it has printed this number of lines; false if it completed before. */
async function copyFor(lines: number, from: string, to: string): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [program, from, to], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let said = 0;
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line.startsWith('{')) await failed(line);
    if (said++ >= lines) child.kill('SIGKILL');
  }
  const [, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return signal !== null;
}

async function failed(outcome: string): Promise<void> {
  const { message } = JSON.parse(outcome) as { readonly message?: string };
  if (message !== undefined) throw new Error(`the copy failed: ${message}`);
}

async function faultOf(bench: CopyBench, name: string, isFinished: boolean): Promise<string | null> {
  const copy = await openIfMade(bench, name);
  if (copy === null) return isFinished ? 'there is no copy' : null;
  const original = await bench.ledger('original', { readOnly: true });
  try {
    // A split copy has the streams of the original in another order.
    for (const stream of await streamNames(original)) {
      const { same, next } = await compare(original.digests({ stream }), copy.digests({ stream }), new Span());
      if (next.there !== null) return `event ${same + 1} of ${stream} is not that of the original`;
      if (isFinished && next.here !== null) return `${stream} ends at ${same} events`;
    }
    if (isFinished && (await bench.verify(name)).faults > 0) return 'it does not verify';
    return await faultInBlobs(copy, bench, name);
  } finally {
    await copy.close();
    await original.close();
  }
}

/** A copy may be killed before the ledger exists, while it is created, or between its parts. */
async function openIfMade(bench: CopyBench, name: string): Promise<Ledger | null> {
  try {
    return await bench.ledger(name, { readOnly: true });
  } catch (error) {
    if (['LedgerMissing', 'NotALedger', 'PartMissing'].includes((error as Error).name)) return null;
    throw error;
  }
}

async function faultInBlobs(copy: Ledger, bench: CopyBench, name: string): Promise<string | null> {
  const blobs = await bench.blobsIfThere(name);
  for await (const events of copy.readAll()) {
    for (const { blob } of events.flatMap(namedBy)) {
      const fault = await blobs?.get(blob).then(
        () => null,
        (error: Error) => error.message,
      );
      if (fault !== null) return fault ?? `there is no blob store, but an event that names ${blob}`;
    }
  }
  return null;
}
