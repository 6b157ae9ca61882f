// Who runs a run: one process at a time. A claim is an event in the run's work stream with an epoch higher than all before
// it, appended against the stream's known end, so that of several who want it at once one gets it. From then on whoever
// has a lower epoch is void, whatever it still believes.
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { WrongRevision } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';

export type Claimed = EventData['RunClaimed'];

export interface LastClaim extends Claimed {
  /** Of its event in the work stream. */
  readonly revision: number;
}

export interface Claiming {
  readonly ledger: Ledger;
  readonly run: string;
  /** What people call it. */
  readonly name?: string;
  readonly actor: string;
  /** How long the claim holds where nobody can see whether its process still runs. */
  readonly leaseSeconds: number;
  /** Told when somebody else's lease has to be waited for. */
  readonly onWait?: (holder: string, seconds: number) => void;
  readonly signal?: AbortSignal;
}

/** Somebody else has the run in hand. */
export class RunHeld extends IcecoreError {
  override readonly name = 'RunHeld';

  /** `run` as it is called: by its name where that is known. */
  constructor(run: string, { holder, epoch }: Pick<Claimed, 'holder' | 'epoch'>) {
    super('conflict', `run ${run} is in the hands of ${spoken(holder)}`, {
      facts: { run, holder, epoch },
      remedy: 'Wait for it or stop it: it goes on from there.',
    });
  }
}

function calledBy({ run, name = run }: Claiming): string {
  return name;
}

/** The claim of the run's stream that stands last; null where nobody ever claimed it. */
export async function lastClaim(ledger: Ledger, run: string): Promise<LastClaim | null> {
  for await (const events of ledger.read(streamOf.work(run), { backwards: true })) {
    for (const { reading, revision } of events) {
      if (reading.known && reading.type === 'RunClaimed') return { ...reading.data, revision };
    }
  }
  return null;
}

/** Whether a claim still counts, as far as can be told from here: null where only time can tell. */
export function isHeld({ holder, leaseSeconds }: Claimed): boolean | null {
  if (leaseSeconds === 0) return false;
  const { host, process: pid } = partsOf(holder);
  if (host !== hostname()) return null;
  // A process before this one may have had the same number.
  return pid === process.pid ? ownHolders.has(holder) : isRunning(pid);
}

/** Under which names this process holds runs. */
const ownHolders = new Set<string>();

export class Claim {
  readonly epoch: number;
  readonly holder: string;
  readonly #claiming: Claiming;
  #timer: NodeJS.Timeout | null = null;

  private constructor(claiming: Claiming, epoch: number, holder: string) {
    this.#claiming = claiming;
    this.epoch = epoch;
    this.holder = holder;
  }

  /** Throws RunHeld where somebody else has it. */
  static async take(claiming: Claiming): Promise<Claim> {
    const { ledger, run, leaseSeconds } = claiming;
    const before = await lastClaim(ledger, run);
    if (before !== null) await requireFree(claiming, before);
    const holder = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
    const epoch = (before?.epoch ?? 0) + 1;
    const end = await endOf(ledger, run);
    try {
      const event = claimEvent(claiming, { epoch, holder, leaseSeconds });
      await ledger.append(streamOf.work(run), [event], { expect: end < 0 ? 'none' : end });
      const claim = new Claim(claiming, epoch, holder);
      ownHolders.add(holder);
      claim.#keep();
      return claim;
    } catch (fault) {
      if (!(fault instanceof WrongRevision)) throw fault;
      const quicker = await lastClaim(ledger, run);
      throw quicker === null ? fault : new RunHeld(calledBy(claiming), quicker);
    }
  }

  /** Throws RunHeld where somebody else has claimed the run since. */
  async check(): Promise<void> {
    const { ledger, run } = this.#claiming;
    const last = await lastClaim(ledger, run);
    if (last !== null && last.epoch > this.epoch) throw new RunHeld(calledBy(this.#claiming), last);
  }

  /** Gives it back: whoever wants it has it at once. What goes wrong with that is nobody's trouble: a lease ends. */
  async release(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#append(0).catch(() => {});
    ownHolders.delete(this.holder);
  }

  /** As long as this process lives the lease is renewed. */
  #keep(): void {
    const { leaseSeconds } = this.#claiming;
    const renew = (): void => void this.#append(leaseSeconds).catch(() => {});
    this.#timer = setInterval(renew, (leaseSeconds * 1000) / 3).unref();
  }

  async #append(leaseSeconds: number): Promise<void> {
    const { ledger, run } = this.#claiming;
    const event = claimEvent(this.#claiming, { epoch: this.epoch, holder: this.holder, leaseSeconds });
    await ledger.append(streamOf.work(run), [event], { expect: 'exists' });
  }
}

async function requireFree(claiming: Claiming, before: LastClaim): Promise<void> {
  const { ledger, run, onWait, signal } = claiming;
  const held = isHeld(before);
  if (held === true) throw new RunHeld(calledBy(claiming), before);
  if (held === false) return;
  onWait?.(spoken(before.holder), before.leaseSeconds);
  await setTimeout(before.leaseSeconds * 1000, undefined, signal === undefined ? {} : { signal });
  const after = await lastClaim(ledger, run);
  if (after !== null && after.revision > before.revision && after.leaseSeconds > 0)
    throw new RunHeld(calledBy(claiming), after);
}

async function endOf(ledger: Ledger, run: string): Promise<number> {
  for await (const [event] of ledger.read(streamOf.work(run), { backwards: true, limit: 1 })) {
    if (event !== undefined) return event.revision;
  }
  return -1;
}

/** Its id is drawn by lot: it tells of a process, and none has another's. */
function claimEvent({ run, actor }: Claiming, data: Claimed): NewEventOf<'RunClaimed'> {
  return {
    id: randomUUID(),
    type: 'RunClaimed',
    version: versionOf('RunClaimed'),
    at: new Date().toISOString(),
    actor,
    run,
    stage: null,
    causes: [],
    data,
  };
}

function partsOf(holder: string): { readonly host: string; readonly process: number } {
  const [, host = holder, pid = '0'] = /^(.*):([0-9]+):[0-9a-f]+$/.exec(holder) ?? [];
  return { host, process: Number(pid) };
}

function spoken(holder: string): string {
  const { host, process: pid } = partsOf(holder);
  return pid === 0 ? holder : `process ${pid} on ${host}`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
