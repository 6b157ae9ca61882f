// By what name a process holds a run, and what can be seen of a process from here.
import { createHash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

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
