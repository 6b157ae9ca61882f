// Whose a found file or folder is. On a machine with several users, what somebody else put above the current folder, or could
// change there, is not the user's own.
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Io } from '../io.ts';

/** Who this process works for. */
export interface User {
  readonly id: number;
  readonly group: number;
  /** Besides the user: root, and who called sudo. */
  readonly owners: readonly number[];
}

/** Null where files have no such owners. */
export function currentUser(env: Io['env']): User | null {
  const [id, group] = [process.geteuid?.(), process.getegid?.()];
  if (id === undefined || group === undefined) return null;
  const caller = env['SUDO_UID'] ?? '';
  return { id, group, owners: [id, 0, ...(id === 0 && /^[0-9]+$/.test(caller) ? [Number(caller)] : [])] };
}

/** Why somebody else may have written it, in words that go on from its path; null where nobody else can have. */
export function foreignOwner(path: string, user: User | null): string | null {
  if (user === null) return null;
  const real = realpathSync(path);
  return (
    ownerFault(lstatSync(path), user) ??
    ownerFault(statSync(real), user) ??
    writerFault(statSync(real), user) ??
    [...new Set([dirname(path), dirname(real)])]
      .map((folder) => folderFault(folder, user))
      .find((fault) => fault !== null) ??
    null
  );
}

function ownerFault({ uid }: Stats, { owners }: User): string | null {
  return owners.includes(uid) ? null : `belongs to another user (id ${uid})`;
}

/** A group of the user's own, as most systems give to every user, is the user. */
function writerFault({ mode, gid }: Stats, { group }: User): string | null {
  if ((mode & 0o002) !== 0) return 'can be changed by every user';
  return (mode & 0o020) !== 0 && gid !== group && gid !== 0 ? `can be changed by another group (id ${gid})` : null;
}

function folderFault(folder: string, user: User): string | null {
  const stats = statSync(folder);
  // In a sticky folder such as /tmp everybody can make files, and nobody can replace those of others.
  const fault = ownerFault(stats, user) ?? ((stats.mode & 0o1000) === 0 ? writerFault(stats, user) : null);
  return fault === null ? null : `is in ${folder}, which ${fault}`;
}
