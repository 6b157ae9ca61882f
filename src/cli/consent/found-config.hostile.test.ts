// Settings that somebody else wrote, found in the current folder or above it. A canary listens where they point: nothing secret, and
// off this machine nothing at all, may arrive before this user has allowed it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { icecore, json, type Ran, temporaryFolder } from '../testing/harness.ts';

/** An address of this machine that is not loopback; null where it has none. */
const outside =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.internal === false && one.family === 'IPv4')?.address ?? null;

let server: Server;
let port = 0;
let connections = 0;
let heard = '';

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  if (typeof address === 'object' && address !== null) port = address.port;
});
afterAll(() => server.close());
beforeEach(() => {
  connections = 0;
  heard = '';
});

const secret = 'canary-7c1e';
const variables = [
  ...['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN', 'GITHUB_TOKEN', 'OPENAI_API_KEY', 'HF_TOKEN'],
  ...['ICECORE_KAFKA_USER', 'ICECORE_KAFKA_PASSWORD', 'ICECORE_EVENTSTORE_USER', 'ICECORE_EVENTSTORE_PASSWORD'],
];
const secrets = Object.fromEntries(variables.map((name) => [name, secret]));

interface Found {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly path: string;
}

/** A folder below one with these settings, and a user who has allowed nothing yet. */
function found(config: object | string): Found {
  const root = temporaryFolder();
  const cwd = join(root, 'project', 'deep');
  mkdirSync(cwd, { recursive: true });
  const path = join(root, 'project', 'icecore.config.json');
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config));
  return { cwd, path, env: { ...secrets, XDG_CONFIG_HOME: join(root, 'user') } };
}

const call = ({ cwd, env }: Found, ...argv: readonly string[]): Promise<Ran> => icecore(argv, { cwd, env });

const model = (url: string, key?: string): object => ({
  models: { gpt: { url, model: 'm', ...(key === undefined ? {} : { key }), timeout: { whole: 2 } } },
});

const evaluate = ['lake', 'evaluate', 'gpt', '--suite', 'tiny', '--limit', '1'];

describe('a model of a found settings file', () => {
  it.each([...variables, 'PATH', 'HOME'])('does not receive %s', async (key) => {
    const place = found(model(`http://127.0.0.1:${port}/v1`, key));
    const ran = await call(place, 'doctor', '--json');
    await call(place, ...evaluate);
    await call(place, 'run', '--policy', 'gpt', '--stages', '1');
    expect(connections).toBe(0);
    expect(ran.stdout).toContain('not asked');
    expect(ran.stdout + ran.stderr).not.toContain(secret);
  });

  it('is named in a trust command, and receives its key after that command', async () => {
    const place = found(model(`http://127.0.0.1:${port}/v1`, 'OPENAI_API_KEY'));
    const { rows } = json(await call(place, 'doctor', '--json')) as { rows: { name: string; remedy: string }[] };
    const remedy = rows.find(({ name }) => name === 'model gpt')?.remedy;
    expect(remedy).toBe(`If you trust it: icecore trust --host 127.0.0.1:${port}/v1`);
    expect((await call(place, 'trust', '--host', `127.0.0.1:${port}/v1`)).code).toBe(0);
    await call(place, 'doctor');
    expect(heard).toContain(`Bearer ${secret}`);
  });

  it('receives nothing if only another path of its host is trusted, for a gateway may serve many tenants', async () => {
    const place = found(model(`http://127.0.0.1:${port}/v1/them`, 'OPENAI_API_KEY'));
    for (const path of ['/v1/me', '/v1/them/more', '/v1/the']) {
      await call(place, 'trust', '--host', `http://127.0.0.1:${port}${path}`);
      expect((await call(place, 'doctor')).stdout).toContain('not asked');
    }
    expect(connections).toBe(0);
    await call(place, 'trust', '--host', `127.0.0.1:${port}`);
    await call(place, 'doctor');
    expect(heard).toContain(`Bearer ${secret}`);
  });

  it('on a trusted host receives HF_TOKEN only after consent to the settings', async () => {
    const place = found(model(`http://127.0.0.1:${port}/v1`, 'HF_TOKEN'));
    await call(place, 'trust', '--host', `127.0.0.1:${port}`);
    const ran = await call(place, 'doctor');
    expect(ran.stdout).toContain(`not asked: ${place.path} (models.gpt) sends HF_TOKEN`);
    expect(connections).toBe(0);
    await call(place, 'trust', '--yes');
    await call(place, 'doctor');
    expect(heard).toContain(`Bearer ${secret}`);
  });

  it('needs consent again after the file changes', async () => {
    const place = found(model('http://127.0.0.1:9/v1', 'HF_TOKEN'));
    await call(place, 'trust', '--yes');
    writeFileSync(place.path, JSON.stringify(model(`http://127.0.0.1:${port}/v1`, 'HF_TOKEN')));
    expect((await call(place, 'doctor')).stdout).toContain('not asked');
    expect(connections).toBe(0);
  });

  it('needs consent again after the file moves', async () => {
    const place = found(model(`http://127.0.0.1:${port}/v1`, 'HF_TOKEN'));
    await call(place, 'trust', '--yes');
    renameSync(place.path, join(place.cwd, 'icecore.config.json'));
    expect((await call(place, 'doctor')).stdout).toContain('not asked');
    expect(connections).toBe(0);
  });

  it('on this machine is contacted if it has no key', async () => {
    await call(found(model(`http://127.0.0.1:${port}/v1`)), 'doctor');
    expect(connections).toBe(1);
    expect(heard).not.toContain('authorization');
  });

  it.skipIf(outside === null)('on another host is not contacted before that host is trusted', async () => {
    const place = found(model(`http://${outside}:${port}/v1`));
    expect((await call(place, 'doctor')).stdout).toContain('connects to');
    await call(place, ...evaluate);
    expect(connections).toBe(0);
    await call(place, 'trust', '--host', `${outside}:${port}`);
    await call(place, 'doctor');
    expect(connections).toBe(1);
  });

  it.skipIf(outside === null)('receives no key without TLS unless --without-tls allows it', async () => {
    const place = found(model(`http://${outside}:${port}/v1`, 'OPENAI_API_KEY'));
    await call(place, 'trust', '--host', `${outside}:${port}`);
    expect((await call(place, 'doctor')).stdout).toContain('--without-tls');
    expect(connections).toBe(0);
    expect((await icecore(['doctor'], { ...place, env: { ...place.env, ICECORE_TRUST: place.cwd } })).stdout).toContain(
      'not asked',
    );
    expect(connections).toBe(0);
    await call(place, 'trust', '--host', `${outside}:${port}`, '--without-tls');
    await call(place, 'doctor');
    expect(heard).toContain(secret);
  });

  it.each([
    'http://trusted.example@127.0.0.1/v1',
    'http://user:password@127.0.0.1/v1',
    'file:///etc/passwd',
    'data:text/plain,x',
    'http://127.0.0.1/v1?proxy=evil',
    'http://127.0.0.1/v1/organization/invites#',
    'http://127.0.0.1/v1/organization/invites?',
    'http://127.0.0.1/v1/organization/invites?#',
    'unix:/run/docker.sock',
  ])('is refused for an ambiguous or unsupported URL: %s', async (url) => {
    const ran = await call(found(model(url, 'OPENAI_API_KEY')), 'event', 'tail', '--json');
    expect(ran.code).toBe(2);
    expect(json(ran)).toMatchObject({ error: { kind: 'usage' } });
  });

  it.each(['localhost.evil.com', '127.0.0.1.evil.com', '0.0.0.0', 'LOCALHOST.', '2130706433', '[::ffff:10.0.0.1]'])(
    'is not mistaken for a trusted or local host: %s',
    async (host) => {
      const place = found(model(`http://${host}:${port}/v1`, 'OPENAI_API_KEY'));
      await call(place, 'trust', '--host', `trusted.example:${port}`);
      expect((await call(place, 'doctor')).stdout).toContain('not asked');
      expect(connections).toBe(0);
    },
  );

  it.each([
    ['{"__proto__": {"ledger": "sqlite:/x.db"}}', 2],
    ['{"constructor": {}}', 2],
    ['{"proxy": "http://127.0.0.1"}', 2],
    ['{"models": {"gpt": {"url": "http://127.0.0.1/v1", "model": "m", "proxy": "http://127.0.0.1"}}}', 2],
    // No model, and no ledger.
    ['{"models": {"__proto__": {"url": "http://127.0.0.1/v1", "model": "m", "key": 5}}}', 1],
  ])('takes no unknown settings and changes no prototype: %s', async (text, code) => {
    expect((await call(found(text), 'event', 'tail')).code).toBe(code);
    expect(({} as { ledger?: string }).ledger).toBeUndefined();
  });
});

describe('a store of a found settings file', () => {
  const stores: readonly (readonly [string, (host: string) => object])[] = [
    ['Kafka with a login', (host) => ({ ledger: `split:sqlite:a.db+kafka://${host}/lab?login=plain&patience=1` })],
    ['EventStoreDB with TLS', (host) => ({ ledger: `esdb://${host}/lab?patience=1` })],
    ['S3', (host) => ({ blobs: `s3://bucket/lab?endpoint=http://${host}` })],
    [
      'a part of a split ledger',
      (host) => ({ ledger: { decisions: `esdb://${host}/lab?patience=1`, evidence: 'sqlite:a.db' } }),
    ],
  ];
  const open: typeof stores = [
    ['Kafka without a login', (host) => ({ ledger: `split:sqlite:a.db+kafka://${host}/lab?patience=1` })],
    ['EventStoreDB without TLS', (host) => ({ ledger: `esdb://${host}/lab?tls=false&patience=1` })],
  ];

  /** The stores look into the environment of the process. */
  beforeEach(() => {
    for (const name of variables) vi.stubEnv(name, secret);
    return () => vi.unstubAllEnvs();
  });

  it.each(stores)('on this machine receives no credentials before it is trusted: %s', async (_, config) => {
    const place = found(config(`127.0.0.1:${port}`));
    for (const verb of ['show', 'event tail', 'doctor', 'verify', 'why']) await call(place, ...verb.split(' '));
    expect(connections).toBe(0);
    await call(place, 'trust', '--yes');
    await call(place, 'doctor', '--no-models');
    expect(connections).toBeGreaterThan(0);
  });

  it.skipIf(outside === null).each([...stores, ...open])(
    'on another host is not contacted before it is trusted: %s',
    async (_, config) => {
      const place = found(config(`${outside}:${port}`));
      for (const verb of ['show', 'event tail', 'doctor', 'init']) await call(place, ...verb.split(' '));
      expect(connections).toBe(0);
    },
  );

  it('needs no consent if a flag or an environment variable names it', async () => {
    const place = found({});
    const url = `split:sqlite:a.db+kafka://127.0.0.1:${port}/lab?login=plain&patience=1`;
    expect((await call(place, 'event', 'tail', '--ledger', url, '--json')).stdout).not.toContain('untrusted');
    const env = { ...place.env, ICECORE_LEDGER: url };
    expect((await icecore(['event', 'tail', '--json'], { ...place, env })).stdout).not.toContain('untrusted');
  });

  it('cannot name another host in its region', async () => {
    const place = found({ blobs: `s3://bucket/lab?region=x.evil.example/` });
    expect((await call(place, 'doctor')).stdout).toContain('is given the region');
  });
});

describe('a found settings file', () => {
  it('cannot name a ledger outside its folder without consent', async () => {
    const place = found({ ledger: 'sqlite:../outside/ledger.db' });
    const ran = await call(place, 'init', '--json');
    expect(json(ran)).toMatchObject({ error: { kind: 'untrusted', commands: [`icecore trust ${place.path}`] } });
    await call(place, 'trust', '--yes');
    expect((await call(place, 'init', '--json')).code).toBe(0);
  });

  it.each(['ledger.db', 'ledger.blobs', 'ledger.tables', 'ledger.db.runs'])(
    'cannot lead outside through a link, even to a missing file: %s',
    async (name) => {
      const place = found({ ledger: 'sqlite:ledger.db' });
      symlinkSync(join(temporaryFolder(), 'new'), join(place.cwd, '..', name));
      expect(json(await call(place, 'init', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
    },
  );

  /** Links the settings of a trusted folder from another one. */
  async function borrowed(config: object): Promise<{ readonly real: Found; readonly link: Found }> {
    const real = found(config);
    await call(real, 'trust', '--yes');
    const link = { ...found({}), env: real.env };
    execFileSync('ln', ['-sf', real.path, link.path]);
    return { real, link };
  }

  it.each([
    ['settings trusted there', model('http://127.0.0.1:9/v1', 'HF_TOKEN')],
    ['settings that need no trust there', { ledger: 'sqlite:ledger.db' }],
  ])('that is a link to another folder needs consent, even for %s', async (_, config) => {
    const { real, link } = await borrowed(config);
    const ran = await call(link, 'event', 'tail', '--json');
    expect(json(ran)).toMatchObject({
      error: { kind: 'untrusted', message: expect.stringContaining(`is a link to ${real.path}`) },
    });
    await call(link, 'trust', '--yes');
    expect(json(await call(link, 'event', 'tail', '--json'))).toMatchObject({ error: { kind: 'not-found' } });
    const other = { ...found({}), env: real.env };
    execFileSync('ln', ['-sf', real.path, other.path]);
    expect(json(await call(other, 'event', 'tail', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
  });

  it('that is a link resolves relative paths from its target', async () => {
    const { real, link } = await borrowed({ ledger: 'sqlite:ledger.db' });
    await call(link, 'trust', '--yes');
    expect((await call(link, 'event', 'tail', '--json')).stdout).toContain(join(real.cwd, '..', 'ledger.db'));
    const env = { ...real.env, ICECORE_TRUST: join(real.cwd, '..') };
    const other = { ...found({}), env };
    execFileSync('ln', ['-sf', real.path, other.path]);
    expect(json(await call(other, 'event', 'tail', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
  });

  it.each(['esdb://127.0.0.1:9/lab?ca=ca.pem', 'split:sqlite:a.db+kafka://10.0.0.9:9/lab?tls=true&c%61=ca.pem'])(
    'resolves the path of CA certificates from its own folder: %s',
    async (ledger) => {
      const place = found({ ledger });
      expect((await call(place, 'trust')).stderr).toContain(`certificates in ${join(place.cwd, '..', 'ca.pem')}`);
    },
  );

  it('that is huge, a FIFO or a device is refused at once', async () => {
    const place = found('{}');
    truncateSync(place.path, 1024 ** 3);
    expect((await call(place, 'event', 'tail')).stderr).toContain('a file of 1073741824 bytes');
    execFileSync('bash', ['-c', `rm "$0" && mkfifo "$0"`, place.path]);
    expect((await call(place, 'event', 'tail')).stderr).toContain('found a FIFO');
    execFileSync('ln', ['-sf', '/dev/zero', place.path]);
    expect((await call(place, 'doctor')).stdout).toContain('found a device');
  });

  it('is not written through a link', async () => {
    const cwd = temporaryFolder();
    const elsewhere = join(temporaryFolder(), 'precious');
    symlinkSync(elsewhere, join(cwd, 'icecore.config.json'));
    await icecore(['init', '--ledger', 'sqlite:x.db'], { cwd });
    expect(() => readFileSync(elsewhere)).toThrow();
  });
});

describe('a found workspace', () => {
  it.each(['.icecore', '.icecore/ledger.db', '.icecore/ledger.blobs'])(
    'does not lead outside through a link: %s',
    async (name) => {
      const place = found({});
      const elsewhere = temporaryFolder();
      if (name !== '.icecore') mkdirSync(join(place.cwd, '.icecore'));
      symlinkSync(elsewhere, join(place.cwd, name));
      expect(json(await call(place, 'event', 'append', '--json', '-'))).toMatchObject({ error: { kind: 'untrusted' } });
      await call(place, 'trust', '.icecore', '--yes');
      expect(json(await call(place, 'trust', '--list', '--json'))).toMatchObject({ rows: [{ kind: 'workspace' }] });
    },
  );
});
