// A process that orchestrates a run is really suspended between its check and its append, for longer than its lease;
// another one takes the run over and finishes it; after waking up, the first one writes nothing and names the holder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { runFacts } from './testing/run-facts.ts';
import { runTiny, tinyPlace, tinySettings } from './testing/tiny.ts';

const run = 'tiny00000000';
const leaseSeconds = 0.4;
const program = fileURLToPath(new URL('./testing/run-process.ts', import.meta.url));

/** As shown by Linux: stopped by a signal. */
function isStopped({ pid }: ChildProcess): boolean {
  return / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

it.runIf(process.platform === 'linux').each(['StageStarted', 'TrainingRecorded', 'EvidenceSealed', 'StageCompleted'])(
  'a process stopped before it appends %s writes nothing after another has finished the run',
  async (type) => {
    const place = await tinyPlace();
    onTestFinished(() => place.close());
    const words = [program, place.folder, run, '1', type, String(leaseSeconds)];
    const stopped = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void stopped.kill('SIGKILL'));
    const closed = once(stopped, 'close');
    const says = text(stopped.stderr);
    await vi.waitUntil(() => isStopped(stopped), { timeout: 60_000 });
    const settings = tinySettings({ record: 'all' });
    // A visible process is not waited for until its lease has passed twice.
    const { ended } = await vi.waitUntil(
      async () => await runTiny(place, { run, settings, leaseSeconds }).catch(() => null),
      { timeout: 60_000, interval: 100 },
    );
    expect(ended).toBe('completed');
    const before = await collect(place.ledger.readAll());
    stopped.kill('SIGCONT');
    expect(await closed).toEqual([1, null]);
    expect(await says).toContain(`RunHeld: run tiny is held by process ${process.pid}`);
    expect(await collect(place.ledger.readAll())).toEqual(before);
    const taken = (await collect(place.ledger.read(streamOf.run(run)))).filter(
      (event) => event.type === 'RunTakenOver',
    );
    expect(taken).toHaveLength(1);
    const undisturbed = await tinyPlace();
    onTestFinished(() => undisturbed.close());
    await runTiny(undisturbed, { run, settings });
    expect(await runFacts(place.ledger, run)).toEqual(await runFacts(undisturbed.ledger, run));
  },
  120_000,
);
