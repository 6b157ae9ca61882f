// Programs that went on running when the icecore that had started them was killed: two of them in one folder would
// overwrite each other's files. Linux alone tells the environment of a process; elsewhere none is found.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A program as it was started: its process group, and a variable that no other program has with this value. */
export interface Mark {
  readonly group: number;
  readonly variable: string;
  readonly value: string;
}

/** How often to check whether all of them have ended. */
const lookMs = 20;

/** Asks the processes of a program to exit, and kills them after the grace period. */
export async function endLeftovers(mark: Mark, graceMs: number): Promise<void> {
  const killsAt = performance.now() + graceMs;
  signalAll(runningOf(mark), 'SIGTERM');
  for (let left = runningOf(mark); left.length > 0; left = runningOf(mark)) {
    if (performance.now() >= killsAt) signalAll(left, 'SIGKILL');
    await sleep(lookMs);
  }
}

/** The group alone may be that of another program by now. */
function runningOf({ group, variable, value }: Mark): number[] {
  return processes().filter(
    (pid) => groupOf(pid) === group && textOf(pid, 'environ').includes(`${variable}=${value}\0`),
  );
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Null for a process that has ended. The second field, its name in brackets, may have blanks. */
function groupOf(pid: number): number | null {
  const [, , group] = textOf(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return group === undefined ? null : Number(group);
}

/** Empty if it has ended or is another user's. */
function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}
