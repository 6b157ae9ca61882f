// The blob store settings of docker-compose.yml with a real server: the program of its image, with folders of this machine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inFolder, json, temporaryFolder } from '../src/cli/testing/harness.ts';
import { be } from '../src/ledger/blobs/testing/s3-server.ts';
import { freePorts } from '../tools/kafka/ports.ts';
import { root } from '../tools/nodes.ts';
import { composed } from './compose.ts';

const { blobs: service } = composed().services;
const image = service?.image ?? '';
/** A setting as the container gets it. */
const set = (name: string): string => String(service?.environment[name]);
const program = join(root, '.cache', image.replace(/^.*\/(.*):v/, '$1-'));
const lacking = spawnSync(process.execPath, [join(root, 'tools/s3-server.ts'), '--ready'], { encoding: 'utf8' }).stderr;
if (lacking !== '') console.warn(`The settings of docker-compose.yml for blobs are not tested: ${lacking}`);

describe.skipIf(lacking !== '')('a store of blobs with the settings of docker-compose.yml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-compose-blobs-'));
  let port = 0;
  let gateway: ChildProcess;

  beforeAll(async () => {
    [port = 0] = await freePorts(1);
    // The volume is a folder in the folder of all buckets.
    mkdirSync(join(folder, 'icecore'));
    const settings = Object.keys(service?.environment ?? {}).map((name) => [name, set(name)]);
    const env = { ...Object.fromEntries(settings), VGW_PORT: `127.0.0.1:${port}` };
    gateway = spawn(program, [set('VGW_BACKEND'), folder], { env, stdio: 'ignore' });
    const answers = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}${set('VGW_HEALTH')}`).then(
        ({ ok }) => ok,
        () => false,
      );
    await vi.waitUntil(answers, { timeout: 30_000 });
    be({ accessKeyId: set('ROOT_ACCESS_KEY_ID'), secretAccessKey: set('ROOT_SECRET_ACCESS_KEY') });
  });
  afterAll(async () => {
    const ended = once(gateway, 'exit');
    gateway.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the bucket that docs/servers.md names, and stores blobs of icecore', async () => {
    const ic = inFolder(temporaryFolder());
    const blobs = `s3://icecore/lab?endpoint=http://127.0.0.1:${port}`;
    const made = await ic('init', '--blobs', blobs, '--json');
    expect(json(made)).toMatchObject({ blobs, environment: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] });
    const report = json(await ic('doctor', '--json')) as { rows: { name: string; status: string }[] };
    const ofBlobs = report.rows.filter(({ name }) => name.startsWith('blobs'));
    expect(ofBlobs.map(({ name, status }) => `${name}: ${status}`)).toContain('blobs writing: ok');
    expect(ofBlobs.filter(({ status }) => status !== 'ok')).toEqual([]);
  });

  it('has a health check that matches its response', () => {
    expect(JSON.stringify(service?.healthcheck)).toContain(`${set('VGW_PORT')}${set('VGW_HEALTH')}`);
  });
});
