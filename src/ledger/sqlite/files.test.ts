import { describe, expect, it } from 'vitest';
import { mountOf, refuseNetworkPlace } from './files.ts';

const mountinfo = `22 28 0:21 / /proc rw,nosuid shared:13 - proc proc rw
28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
45 28 0:40 / /users/ada/cluster rw,relatime shared:21 - nfs4 filer:/export rw,vers=4.2
46 28 0:41 / /users/ada/with\\040space rw - cifs //nas/share rw
47 45 259:3 / /users/ada/cluster/scratch rw - xfs /dev/sdb1 rw
48 28 0:50 / /mnt/there rw - fuse.sshfs ada@there: rw
49 28 0:51 / /over rw - ext4 /dev/sdc1 rw
50 49 0:52 / /over rw - nfs filer:/late rw
`;

describe('the mount of a path', () => {
  it.each([
    ['/users/ada/project/ledger.db', '/', 'ext4'],
    ['/users/ada/cluster', '/users/ada/cluster', 'nfs4'],
    ['/users/ada/cluster/run/ledger.db', '/users/ada/cluster', 'nfs4'],
    ['/users/ada/cluster-of-mine/ledger.db', '/', 'ext4'],
    ['/users/ada/cluster/scratch/ledger.db', '/users/ada/cluster/scratch', 'xfs'],
    ['/users/ada/with space/ledger.db', '/users/ada/with space', 'cifs'],
    ['/mnt/there/ledger.db', '/mnt/there', 'fuse.sshfs'],
    ['/over/ledger.db', '/over', 'nfs'],
  ])('of %s is %s, of type %s', (path, point, type) => {
    expect(mountOf(path, mountinfo)).toEqual({ point, type });
  });
});

const mountinfoOf = (type: string): string => `28 1 259:2 / / rw - ${type} source rw\n`;

describe('a ledger', () => {
  it.each(['nfs', 'nfs4', 'cifs', 'smb3', '9p', 'ceph', 'lustre', 'fuse.sshfs', 'fuse.s3fs'])(
    'is refused on %s, with advice on another place',
    (type) => {
      expect(() => refuseNetworkPlace('/data/ledger.db', mountinfoOf(type))).toThrow(
        expect.objectContaining({
          name: 'NetworkFileSystem',
          kind: 'storage',
          remedy: expect.stringMatching(/local disk/),
        }),
      );
    },
  );

  it.each(['ext4', 'xfs', 'btrfs', 'zfs', 'tmpfs', 'overlay', 'apfs', 'fuse.grpcfuse'])('is accepted on %s', (type) => {
    expect(() => refuseNetworkPlace('/data/ledger.db', mountinfoOf(type))).not.toThrow();
  });

  it('is not refused if the system provides no information', () => {
    expect(() => refuseNetworkPlace('/data/ledger.db', null)).not.toThrow();
  });
});
