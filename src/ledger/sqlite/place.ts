// Where a database may live. SQLite's locks and its shared memory do not hold on network file systems: two machines would
// both believe they wrote, so such a place is refused.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';

const networkTypes =
  /^(?:nfs4?|cifs|smb3?|smbfs|ncpfs|afs|9p|ceph|lustre|gpfs|beegfs|ocfs2|gfs2|glusterfs|fuse\.(?:sshfs|glusterfs|s3fs|rclone|gcsfuse|goofys|ceph|juicefs|blobfuse2?|davfs2?))$/;

export class NetworkFileSystem extends IcecoreError {
  override readonly name = 'NetworkFileSystem';

  constructor(path: string, type: string, mountPoint: string) {
    super(
      'storage',
      `${path} lies on a network file system (${type} at ${mountPoint}), where SQLite's locks do not hold`,
      {
        facts: { path, type, mountPoint },
        remedy: 'Put the ledger on a local disk: set ICECORE_HOME, or name it with --ledger sqlite:PATH.',
      },
    );
  }
}

/** Throws NetworkFileSystem when the path lies on one. Linux tells; elsewhere nothing is known and nothing refused. */
export function refuseNetworkPlace(path: string, mountinfo = readMountinfo()): void {
  const mount = mountinfo === null ? null : mountOf(realPlace(path), mountinfo);
  if (mount !== null && networkTypes.test(mount.type)) throw new NetworkFileSystem(path, mount.type, mount.point);
}

function readMountinfo(): string | null {
  const file = '/proc/self/mountinfo';
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** The nearest ancestor that exists, links resolved: the file itself may be still to be made. */
function realPlace(path: string): string {
  let place = resolve(path);
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return realpathSync(place);
}

export interface Mount {
  readonly point: string;
  readonly type: string;
}

/** The mount a path lies on, by the lines of Linux's mountinfo: the longest mount point that holds it, the latest of equals. */
export function mountOf(path: string, mountinfo: string): Mount | null {
  let best: Mount | null = null;
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const point = unescapeOctal(before.split(' ')[4] ?? '');
    const type = after.split(' ')[0] ?? '';
    if (point === '' || type === '' || !holds(point, path)) continue;
    if (best === null || point.length >= best.point.length) best = { point, type };
  }
  return best;
}

function holds(point: string, path: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`);
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
