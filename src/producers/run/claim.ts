// Ensures that one process at a time orchestrates a run. A claim is an event in the work stream with a higher fencing
// token than all before it, appended at an exact revision, so that only one process gets it. Because a process may be
// suspended between its check and its append, a claim that follows an unreleased one first appends RunTakenOver to the
// run's stream, so that stale appends are refused.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { WrongRevision } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** The holder names under which this process has claims. */
const own = new Set<string>();

/** A new name each time, because two claims of one process have two holders. */
export function newHolder(): string {
  const holder = `${hostname()}:${process.pid}:${numbering}${randomBytes(4).toString('hex')}`;
  own.add(holder);
  return holder;
}

/** This process has a claim under this name. */
export function isOwn(holder: string): boolean {
  return own.has(holder);
}

export function forgetHolder(holder: string): void {
  own.delete(holder);
}

/** Whether its process is alive; null if that cannot be determined here. */
export function isAlive(holder: string): boolean | null {
  const { host, process: pid, numbering: theirs } = partsOf(holder);
  if (host !== hostname() || (theirs !== '' && theirs !== numbering)) return null;
  // An earlier process may have had the same id.
  return pid === process.pid ? isOwn(holder) : isRunning(pid);
}

/** For messages. */
export function displayName(holder: string): string {
  const { host, process: pid } = partsOf(holder);
  return pid === 0 ? holder : `process ${pid} on ${host}`;
}

interface Parts {
  readonly host: string;
  readonly process: number;
  readonly numbering: string;
}

function partsOf(holder: string): Parts {
  const [, host = holder, pid = '0', theirs = ''] = /^(.*):([0-9]+):((?:[0-9a-f]{8})?)[0-9a-f]{8}$/.exec(holder) ?? [];
  return { host, process: Number(pid), numbering: theirs };
}

/** Containers may share their host's name and have their own process ids, so nothing can be determined about them. */
const numbering = numberingHere();

function numberingHere(): string {
  try {
    return createHash('sha256').update(readlinkSync('/proc/self/ns/pid')).digest('hex').slice(0, 8);
  } catch {
    // Only Linux has such namespaces.
    return '';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}

type Claimed = EventData['RunClaimed'];

export interface LastClaim extends Claimed {
  /** The revision of its event in the work stream. */
  readonly revision: number;
  /** The store's timestamp. */
  readonly recordedMs: number;
}

/** The state of a work stream up to its last read event. */
interface Claims {
  /** The current claim; null if the run was never claimed. */
  readonly last: LastClaim | null;
  /** The last revision of the stream; -1 if it is empty. */
  readonly end: number;
}

/** Continues from a previous state. */
async function claimsOf(ledger: Ledger, run: string, before: Claims = { last: null, end: -1 }): Promise<Claims> {
  let { last, end } = before;
  for await (const events of ledger.read(streamOf.work(run), { from: end + 1 })) {
    for (const { reading, revision, recordedMs } of events) {
      end = revision;
      if (!reading.known || reading.type !== 'RunClaimed' || reading.data.fencingToken < (last?.fencingToken ?? 0))
        continue;
      last = { ...reading.data, revision, recordedMs };
    }
  }
  return { last, end };
}

export async function lastClaim(ledger: Ledger, run: string): Promise<LastClaim | null> {
  return (await claimsOf(ledger, run)).last;
}

/**
 * Renewals come every third of a lease. After two missed leases the process is dead, even if another process has its
 * id.
 */
const leasesOfTheLiving = 2;

/** Whether a claim is still valid; null if only its lease can tell. */
export function isHeld({ holder, leaseSeconds, recordedMs }: Omit<LastClaim, 'revision'>): boolean | null {
  if (leaseSeconds === 0) return false;
  const alive = isAlive(holder);
  if (alive !== true || isOwn(holder)) return alive;
  // A wrong clock must not block other processes: timestamps far in the future are ignored.
  return Math.abs(Date.now() - recordedMs) < leasesOfTheLiving * leaseSeconds * 1000 ? true : null;
}

export interface Claiming {
  readonly ledger: Ledger;
  readonly run: string;
  /** The stream protected by the claim: that of a run or of an ablation. */
  readonly stream: string;
  /** The displayed name. */
  readonly name?: string;
  readonly actor: string;
  /** How long the claim is valid if others cannot see whether the process is running. */
  readonly leaseSeconds: number;
  /** Called when another process's lease has to be waited for. */
  readonly onWait?: (holder: string, seconds: number) => void;
  readonly signal?: AbortSignal;
}

/** Another process holds the run. */
export class RunHeld extends IcecoreError {
  override readonly name = 'RunHeld';

  /** `run` is its name if known, otherwise its identity. */
  constructor(run: string, { holder, fencingToken }: Pick<Claimed, 'holder' | 'fencingToken'>) {
    super('conflict', `run ${run} is held by ${displayName(holder)}`, {
      facts: { run, holder, fencingToken },
      remedy: 'Wait for it to finish, or stop it: the run can then be resumed.',
    });
  }
}

function calledBy({ run, name = run }: Claiming): string {
  return name;
}

export class Claim {
  readonly fencingToken: number;
  readonly holder: string;
  readonly #claiming: Claiming;
  #claims: Claims;
  #timer: NodeJS.Timeout | null = null;
  #renewal: Promise<void> = Promise.resolve();

  private constructor(claiming: Claiming, { fencingToken, holder }: Claimed, claims: Claims) {
    this.#claiming = claiming;
    this.fencingToken = fencingToken;
    this.holder = holder;
    this.#claims = claims;
  }

  /** Throws RunHeld if another process holds it. */
  static async take(claiming: Claiming): Promise<Claim> {
    const { leaseSeconds } = claiming;
    const holder = newHolder();
    const id = randomUUID();
    try {
      for (let wanted = await freeFor(claiming, null); ; wanted = await freeFor(claiming, wanted)) {
        const claimed = { fencingToken: (wanted.last?.fencingToken ?? 0) + 1, holder, leaseSeconds };
        if (!(await isAppended(claiming, claimEvent(claiming, claimed, id), wanted))) continue;
        // If this fails, the claim remains unreleased, so that the next holder knows that it must append RunTakenOver.
        await appendTakeover(claiming, claimed, wanted.last);
        const claim = new Claim(claiming, claimed, wanted);
        claim.#keep();
        return claim;
      }
    } catch (fault) {
      forgetHolder(holder);
      throw fault;
    }
  }

  /** Throws RunHeld if another process has claimed the run since. */
  async check(): Promise<void> {
    await this.#look();
  }

  /** Appends to the work stream. Throws RunHeld if another process holds the run, and then has written nothing. */
  async write(event: NewEvent): Promise<void> {
    while (!(await isAppended(this.#claiming, event, await this.#look())));
  }

  /** Releases the claim at once. Errors are ignored, because the lease expires anyway. */
  async release(): Promise<void> {
    this.#stop();
    await this.#renewal;
    await this.#append(0).catch(() => {});
    forgetHolder(this.holder);
  }

  /** Renews the lease while this process lives. */
  #keep(): void {
    const { leaseSeconds } = this.#claiming;
    const renewed = async (): Promise<void> => {
      await this.#append(leaseSeconds).catch((fault: unknown) => {
        if (fault instanceof RunHeld) this.#stop();
      });
    };
    const renew = (): void => {
      this.#renewal = this.#renewal.then(renewed);
    };
    this.#timer = setInterval(renew, (leaseSeconds * 1000) / 3).unref();
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #look(): Promise<Claims> {
    const { ledger, run } = this.#claiming;
    const claims = await claimsOf(ledger, run, this.#claims);
    if (claims.last !== null && claims.last.holder !== this.holder)
      throw new RunHeld(calledBy(this.#claiming), claims.last);
    this.#claims = claims;
    return claims;
  }

  /** Throws RunHeld if another process holds the run, and then has written nothing. */
  async #append(leaseSeconds: number): Promise<void> {
    const claimed = { fencingToken: this.fencingToken, holder: this.holder, leaseSeconds };
    await this.write(claimEvent(this.#claiming, claimed, randomUUID()));
  }
}

/**
 * The work stream once the run is free; waits for a lease at most once. `before` is the state of a failed attempt: a
 * newer holder is not waited for.
 */
async function freeFor(claiming: Claiming, before: Claims | null): Promise<Claims> {
  const { ledger, run } = claiming;
  const claims = await claimsOf(ledger, run);
  const { last } = claims;
  if (last === null || (before !== null && last.revision === before.last?.revision)) return claims;
  const held = isHeld(last);
  if (held === false) return claims;
  if (held === true || before !== null) throw new RunHeld(calledBy(claiming), last);
  await leaseOver(claiming, last);
  return await freeFor(claiming, claims);
}

async function leaseOver({ onWait, signal }: Claiming, { holder, leaseSeconds }: LastClaim): Promise<void> {
  onWait?.(displayName(holder), leaseSeconds);
  await setTimeout(leaseSeconds * 1000, undefined, signal === undefined ? {} : { signal });
}

/**
 * Appends RunTakenOver after the last holder's events if the claim was not released. A stream that does not exist yet
 * needs none: its first event must be appended to an empty stream.
 */
async function appendTakeover(
  { ledger, run, stream, actor }: Claiming,
  { fencingToken, holder }: Claimed,
  last: LastClaim | null,
): Promise<void> {
  if (last === null || last.leaseSeconds === 0) return;
  const taken = { type: 'RunTakenOver', stage: null, index: fencingToken, actor } as const;
  const ofRun = stream === streamOf.run(run) ? run : null;
  // Loaded here, so that commands that only ask who holds a run load no writing code.
  const { outgoingOf } = await import('./journal.ts');
  const { event } = outgoingOf(run, ofRun, { ...taken, data: { fencingToken, holder, from: last.holder } });
  for (let end = await endOf(ledger, stream); end >= 0; ) {
    try {
      await ledger.append(stream, [event], { expect: end });
      return;
    } catch (fault) {
      if (!(fault instanceof WrongRevision)) throw fault;
      end = fault.actual;
    }
  }
}

/** The last revision of a stream; -1 if it does not exist. */
async function endOf(ledger: Ledger, stream: string): Promise<number> {
  for await (const [last] of ledger.read(stream, { backwards: true, limit: 1 }))
    if (last !== undefined) return last.revision;
  return -1;
}

/** False if another event came first. */
async function isAppended({ ledger, run }: Claiming, event: NewEvent, { end }: Claims): Promise<boolean> {
  try {
    await ledger.append(streamOf.work(run), [event], { expect: end < 0 ? 'none' : end });
    return true;
  } catch (fault) {
    if (fault instanceof WrongRevision) return false;
    throw fault;
  }
}

/**
 * Its id is random, because it identifies a process. A retry sends the same id: in stores that keep every submitted
 * event, a rejected one is then found at its final position.
 */
function claimEvent({ run, actor }: Claiming, data: Claimed, id: string): NewEventOf<'RunClaimed'> {
  return {
    id,
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
