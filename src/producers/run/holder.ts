// By what name a process holds a run, and what can be seen of a process from here.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** Under which names this process holds runs. */
const own = new Set<string>();

/** Another name each time: what is held twice is held by two. */
export function newHolder(): string {
  const holder = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
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
  const { host, process: pid } = partsOf(holder);
  if (host !== hostname()) return null;
  // A process before this one may have had the same number.
  return pid === process.pid ? isOwn(holder) : isRunning(pid);
}

/** As people read it. */
export function spoken(holder: string): string {
  const { host, process: pid } = partsOf(holder);
  return pid === 0 ? holder : `process ${pid} on ${host}`;
}

function partsOf(holder: string): { readonly host: string; readonly process: number } {
  const [, host = holder, pid = '0'] = /^(.*):([0-9]+):[0-9a-f]+$/.exec(holder) ?? [];
  return { host, process: Number(pid) };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
