// What `icecore worker` does, and what it shows on standard error.

import { availableParallelism } from 'node:os';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { WorkResult } from '../../../schemas/work-result.ts';
import { count, counted, duration } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { BlobMissing } from '../../ledger/blobs/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRun, RunNotFound } from '../../ledger/runs.ts';
import { ProgramGate, type ProgramOptions } from '../../library/consent/programs.ts';
import { type Workshop, withWorkshop } from '../../library/experiment/workshop.ts';
import { blobsUrl } from '../../library/opening/blobs.ts';
import { projectModels } from '../../library/opening/models.ts';
import { requireSameEnvironment } from '../../producers/by-hand/forking.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { withRecorded } from '../../producers/models/recorded.ts';
import { environmentOf } from '../../producers/run/opening.ts';
import { usualLease } from '../../producers/run/orchestrate.ts';
import { openPlayers, type Working, type WorkProgress, work as worked } from '../../producers/run/shards/worker.ts';
import type { Context } from '../context.ts';
import { Live } from '../output/live.ts';
import { settingsOf } from './run.ts';

/** In milliseconds. */
const redrawn = 200;

class WorkWatch {
  readonly #context: Context;
  readonly #live: Live;
  #begun = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;
  #idleAfter = '';
  readonly done = { shards: 0, events: 0, lost: 0 };

  constructor(context: Context) {
    this.#context = context;
    this.#live = new Live(context.io);
  }

  readonly tell = async (progress: WorkProgress): Promise<void> => {
    switch (progress.kind) {
      case 'idle':
        return await this.#idle(progress.history);
      case 'shard-taken':
        this.#begun = performance.now();
        return await this.#show(`stage ${progress.stage}: shard ${progress.shard} of ${progress.of}`);
      case 'rollouts':
        return await this.#show(`stage ${progress.stage}: ${progress.of}, ${count(progress.done)} rollouts`);
      case 'shards':
        return await this.#show(
          `stage ${progress.stage}: ${count(progress.completed)} of ${counted(progress.of, 'shard')} are done, ${count(progress.held)} in hand`,
        );
      case 'shard-completed':
        return await this.#completed(progress);
      case 'shard-lost':
        this.done.lost += 1;
        return await this.#say(progress.fault.message);
      default:
    }
  };

  async end(): Promise<void> {
    await this.#live.end();
  }

  async #completed({ stage, shard, of, events }: Extract<WorkProgress, { kind: 'shard-completed' }>): Promise<void> {
    this.done.shards += 1;
    this.done.events += events;
    const took = duration((performance.now() - this.#begun) / 1000);
    await this.#say(`stage ${stage}: shard ${shard} of ${of} is done, ${counted(events, 'event')}, ${took}`);
  }

  /** Once for each place where the run stands: whatever is written there wakes it. */
  async #idle({ stages, failed, revision }: Extract<WorkProgress, { kind: 'idle' }>['history']): Promise<void> {
    const fault = failed === null ? '' : `, which failed: ${visible(failed.data.message)}`;
    const after = `${stages.length}${failed === null ? '' : revision}`;
    if (after === this.#idleAfter) return;
    this.#idleAfter = after;
    await this.#say(`nothing to do in stage ${Math.max(stages.length, 1)} yet: waiting for the run${fault}`);
  }

  async #say(text: string): Promise<void> {
    await this.#live.end();
    await this.#context.say(text);
  }

  async #show(text: string): Promise<void> {
    const { flags, io } = this.#context;
    const now = performance.now();
    if (flags.quiet || !io.stderr.isTTY || (flags.json && io.stdout.isTTY) || now - this.#drawnAt < redrawn) return;
    this.#drawnAt = now;
    await this.#live.show([text]);
  }
}

interface WorkOptions extends ProgramOptions {
  readonly wait?: true;
  /** In seconds. */
  readonly lease?: number;
  readonly jobs?: number;
  readonly spendingCap?: number;
}

export async function work(context: Context, asked: string, options: WorkOptions): Promise<number> {
  const { lease: leaseSeconds = usualLease, jobs: threads = availableParallelism(), spendingCap: cap = null } = options;
  const gate = new ProgramGate(context.session, options);
  return await withWorkshop(context.session, { create: false, cap }, async (workshop) => {
    const { ledger } = workshop;
    const { run, name } = await (options.wait === true ? begun(context, ledger, asked) : findRun(ledger, asked));
    const history = await readHistory(ledger, run);
    const done = await workedOn(context, workshop, history, { threads, leaseSeconds, gate });
    const result: WorkResult = { ledger: ledger.url, run, name, ...done };
    if (context.flags.json) await context.printJson(result);
    else await context.print(`${visible(name)} is completed; this worker did ${counted(done.shards, 'shard')} of it\n`);
    return 0;
  });
}

/** The run, once there is one. */
async function begun(context: Context, ledger: Ledger, asked: string): ReturnType<typeof findRun> {
  const { signal } = context;
  let isSaid = false;
  for await (const { kind } of ledger.subscribe({ types: ['RunStarted'], signal })) {
    if (kind !== 'caught-up') continue;
    try {
      const found = await findRun(ledger, asked);
      // Another run whose name only begins so is not the one that is waited for.
      if (asked === 'latest' || asked === found.name || asked === found.run) return found;
    } catch (fault) {
      if (!(fault instanceof RunNotFound)) throw fault;
    }
    if (!isSaid) await context.say(`there is no run ${asked} yet: waiting until it begins`);
    isSaid = true;
  }
  throw stopped(signal.reason);
}

type Manner = Pick<Working, 'leaseSeconds'> & { readonly threads: number; readonly gate: ProgramGate };

async function workedOn(
  context: Context,
  workshop: Workshop,
  history: RunHistory,
  { threads, leaseSeconds, gate }: Manner,
): Promise<WorkWatch['done']> {
  const { io, signal } = context;
  const settings = settingsOf(history);
  requireShards(history, settings);
  const { ledger, blobs, folderOf } = workshop;
  const { allow } = gate;
  gate.require(ledger, gate.of(settings, ['environment']));
  const entries = withRecorded(workshop.entries, history.started?.data.policy);
  const recorded = workshop.entries.has(settings.policy) ? undefined : entries.get(settings.policy);
  if (recorded !== undefined) projectModels(io, ledger.url).permit(recorded);
  const models = workshop.modelsOf(entries);
  const environment = await environmentOf(settings, allow, signal);
  const watch = new WorkWatch(context);
  try {
    requireSameEnvironment(history, environment);
    const lab = await openPlayers(settings, environment, { cwd: io.cwd, entries, models, allow, threads });
    const folder = folderOf(history.run);
    await worked({ ledger, blobs, history, settings, lab, folder, leaseSeconds, signal, tell: watch.tell });
    return watch.done;
  } catch (fault) {
    if (signal.aborted) throw stopped(signal.reason);
    throw fault instanceof BlobMissing ? elsewhere(context, fault) : fault;
  } finally {
    await watch.end();
    await environment.close();
  }
}

function requireShards({ run }: RunHistory, { name, shards = 1 }: ReturnType<typeof settingsOf>): void {
  if (shards > 1) return;
  throw new IcecoreError(
    'unsupported',
    `run ${name} does its rollouts in one piece: there is nothing to take part in`,
    {
      facts: { run, shards },
      remedy: 'A run is split when it begins: icecore run --shards 8.',
    },
  );
}

function stopped(reason: unknown): IcecoreError {
  return new IcecoreError('interrupted', `stopped by ${reason}; what was completed stays`, {
    remedy: 'What it had in hand is open to others.',
  });
}

/** What the conductor has put somewhere is looked for where this machine has its blobs. */
function elsewhere(context: Context, fault: BlobMissing): IcecoreError {
  const { digest, facts } = fault;
  return new IcecoreError('not-found', `the checkpoint ${digest} is not in ${blobsUrl(context.session)}`, {
    facts,
    cause: fault,
    remedy:
      'Name the blobs of whoever conducts the run: ICECORE_BLOBS=s3://BUCKET/PREFIX, or "blobs" in icecore.config.json.',
  });
}
