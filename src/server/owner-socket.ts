// The socket in the workspace, on which the server needs no tokens: it is in a folder that only its owner may enter.
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, type Stats } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { ownerSocket } from '../library/own-server.ts';

/** The address of a socket has at most 104 bytes on some systems, its end included. */
const longestPath = 99;

/** Listens on the socket in a workspace. Returns its path, or why there is none. */
export async function listenForOwner(
  server: Server,
  workspace: string,
): Promise<{ readonly path: string } | { readonly why: string }> {
  if (process.platform === 'win32') return { why: 'this system has no permissions for sockets' };
  const path = ownerSocket(workspace);
  const folder = dirname(path);
  if (Buffer.byteLength(path) > longestPath) return { why: `${path} is longer than ${longestPath} bytes` };
  try {
    if (lstat(workspace) === null) return { why: `there is no folder ${workspace} yet` };
    const fault = ownFolder(folder) ?? (await clear(path));
    if (fault !== null) return { why: fault };
    server.listen(path);
    await once(server, 'listening');
    chmodSync(path, 0o600);
    return { path };
  } catch (fault) {
    return { why: fault instanceof Error ? fault.message : String(fault) };
  }
}

/** Null if only this user may enter the folder; it is made if it is missing. */
function ownFolder(folder: string): string | null {
  mkdirSync(folder, { mode: 0o700, recursive: true });
  const found = lstatSync(folder);
  const isOwn = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  return isOwn ? null : `others may enter ${folder}, or it is not a folder of your own: chmod 700 ${folder}`;
}

/** Null if the path is free. The socket of a killed server is removed, that of a running server never. */
async function clear(path: string): Promise<string | null> {
  const found = lstat(path);
  if (found === null) return null;
  if (!found.isSocket()) return `${path} is not a socket`;
  const taken = `another server of this workspace has ${path}`;
  if (await isAnswered(path)) return taken;
  // Another server may have replaced it meanwhile, so what is taken away must be what was looked at.
  const aside = `${path}.${process.pid}`;
  renameSync(path, aside);
  if (isSame(lstatSync(aside), found)) {
    rmSync(aside);
    return null;
  }
  renameSync(aside, path);
  return taken;
}

function lstat(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.birthtimeMs === other.birthtimeMs;
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (fault) {
    // Whatever else prevents the connection does not show that nobody listens.
    return (fault as NodeJS.ErrnoException).code !== 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
