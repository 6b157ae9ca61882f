// Programs and all they started: a process group each. None of them outlives this process, save where it is killed itself.
import type { ChildProcess } from 'node:child_process';

/** Ends a program and everything in its group, at once. */
export function killGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGKILL');
}

/** Whether there was anybody to get the signal; 0 only asks that. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.platform === 'win32' ? child.kill(signal) : process.kill(-child.pid, signal);
  } catch {
    // Nobody of the group is left.
    return false;
  }
}

const living = new Set<ChildProcess>();

/** Has a program ended when this process exits. Returns how to forget that. */
export function endWithUs(child: ChildProcess): () => void {
  if (living.size === 0) process.on('exit', endAll);
  living.add(child);
  return () => {
    living.delete(child);
    if (living.size === 0) process.off('exit', endAll);
  };
}

function endAll(): void {
  for (const child of living) killGroup(child);
}
