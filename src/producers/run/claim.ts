// Who runs a run: one process at a time. A claim is an event in the work stream with a higher fencing token than all before it,
// appended at an exact revision, so that one of several gets it. A process may be suspended between its check and its append: so
// a claim that follows an unreleased one appends RunTakenOver to the run's stream first, and stale appends are refused.
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

/** Under which names this process holds runs. */
const own = new Set<string>();

/** Another name each time: what is held twice is held by two. */
export function newHolder(): string {
  const holder = `${hostname()}:${process.pid}:${numbering}${randomBytes(4).toString('hex')}`;
  own.add(holder);
  return holder;
}

/** This very process holds a run by this name. */
export function isOwn(holder: string): boolean {
  return own.has(holder);
}

export function forgetHolder(holder: string): void {
  own.delete(holder);
}

/** Whether its process still lives; null where that cannot be seen from here. */
export function isAlive(holder: string): boolean | null {
  const { host, process: pid, numbering: theirs } = partsOf(holder);
  if (host !== hostname() || (theirs !== '' && theirs !== numbering)) return null;
  // A process before this one may have had the same number.
  return pid === process.pid ? isOwn(holder) : isRunning(pid);
}

/** As people read it. */
export function spoken(holder: string): string {
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

/** Containers may have the name of their host and number their processes themselves: of those nothing can be seen. */
const numbering = numberingHere();

function numberingHere(): string {
  try {
    return createHash('sha256').update(readlinkSync('/proc/self/ns/pid')).digest('hex').slice(0, 8);
  } catch {
    // Only Linux has such numberings.
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
  /** Of its event in the work stream. */
  readonly revision: number;
  /** When the store wrote it. */
  readonly recordedMs: number;
}

/** A work stream as far as it was read. */
interface Claims {
  /** The claim that counts; null where nobody ever claimed the run. */
  readonly last: LastClaim | null;
  /** The last revision of the stream; -1 where there is none. */
  readonly end: number;
}

/** Goes on from what was read before. */
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

/** Renewals come every third of a lease. Who has let two leases go by has died, and its number may be another's. */
const leasesOfTheLiving = 2;

/** Whether a claim still counts, as far as can be told from here: null where only time can tell. */
export function isHeld({ holder, leaseSeconds, recordedMs }: Omit<LastClaim, 'revision'>): boolean | null {
  if (leaseSeconds === 0) return false;
  const alive = isAlive(holder);
  if (alive !== true || isOwn(holder)) return alive;
  // A clock that is wrong must not keep anybody out: what seems to have happened long from now tells nothing either.
  return Math.abs(Date.now() - recordedMs) < leasesOfTheLiving * leaseSeconds * 1000 ? true : null;
}

export interface Claiming {
  readonly ledger: Ledger;
  readonly run: string;
  /** What is written under the claim: the stream of a run, or of an ablation. */
  readonly stream: string;
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
  constructor(run: string, { holder, fencingToken }: Pick<Claimed, 'holder' | 'fencingToken'>) {
    super('conflict', `run ${run} is in the hands of ${spoken(holder)}`, {
      facts: { run, holder, fencingToken },
      remedy: 'Wait for it or stop it: it goes on from there.',
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

  /** Throws RunHeld where somebody else has it. */
  static async take(claiming: Claiming): Promise<Claim> {
    const { leaseSeconds } = claiming;
    const holder = newHolder();
    const id = randomUUID();
    try {
      for (let wanted = await freeFor(claiming, null); ; wanted = await freeFor(claiming, wanted)) {
        const claimed = { fencingToken: (wanted.last?.fencingToken ?? 0) + 1, holder, leaseSeconds };
        if (!(await isAppended(claiming, claimEvent(claiming, claimed, id), wanted))) continue;
        // Where this fails the claim stands and is not released, so that the next one sees that somebody is to be shut out.
        await shutOut(claiming, claimed, wanted.last);
        const claim = new Claim(claiming, claimed, wanted);
        claim.#keep();
        return claim;
      }
    } catch (fault) {
      forgetHolder(holder);
      throw fault;
    }
  }

  /** Throws RunHeld where somebody else has claimed the run since. */
  async check(): Promise<void> {
    await this.#look();
  }

  /** Appends to the work stream. Throws RunHeld where it is no longer this one's, and writes nothing then. */
  async write(event: NewEvent): Promise<void> {
    while (!(await isAppended(this.#claiming, event, await this.#look())));
  }

  /** Gives it back: whoever wants it has it at once. What goes wrong with that is nobody's trouble: a lease ends. */
  async release(): Promise<void> {
    this.#stop();
    await this.#renewal;
    await this.#append(0).catch(() => {});
    forgetHolder(this.holder);
  }

  /** As long as this process lives the lease is renewed. */
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

  /** Throws RunHeld where it is no longer this one's, and writes nothing then. */
  async #append(leaseSeconds: number): Promise<void> {
    const claimed = { fencingToken: this.fencingToken, holder: this.holder, leaseSeconds };
    await this.write(claimEvent(this.#claiming, claimed, randomUUID()));
  }
}

/**
 * The work stream as it is when nobody has the run; a lease that only time can end is waited for once. `before` is what
 * was appended against in vain: who has come since is not waited for.
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
  onWait?.(spoken(holder), leaseSeconds);
  await setTimeout(leaseSeconds * 1000, undefined, signal === undefined ? {} : { signal });
}

/**
 * Appends RunTakenOver at the end of what the last holder wrote, where it did not release its claim. Nobody is shut out of a
 * stream that is not there yet: its first event, appended where there is none, does the same.
 */
async function shutOut(
  { ledger, run, stream, actor }: Claiming,
  { fencingToken, holder }: Claimed,
  last: LastClaim | null,
): Promise<void> {
  if (last === null || last.leaseSeconds === 0) return;
  const taken = { type: 'RunTakenOver', stage: null, index: fencingToken, actor } as const;
  const ofRun = stream === streamOf.run(run) ? run : null;
  // Commands that only ask who holds a run load nothing that writes.
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

/** The last revision of a stream; -1 where it is not there. */
async function endOf(ledger: Ledger, stream: string): Promise<number> {
  for await (const [last] of ledger.read(stream, { backwards: true, limit: 1 }))
    if (last !== undefined) return last.revision;
  return -1;
}

/** False where something came in between. */
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
 * Its id is drawn by lot: it tells of a process, and none has another's. Who tries again sends the same: in stores that keep
 * whatever was sent, what came second in vain is then found where it stands in the end.
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
