// Programs and all they started: a process group each. None of them outlives this process, save where it is killed itself.
import type { ChildProcess } from 'node:child_process';

/** Ends a program and everything in its group, at once. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
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
