// The socket of the owner: its permissions, and how a server treats an existing socket.
import { chmodSync, existsSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { listenForOwner } from './owner-socket.ts';

function answering(word: string): Server {
  const server = createServer((_, response) => response.end(word));
  onTestFinished(() => void server.close());
  return server;
}

async function ask(socketPath: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    get({ socketPath, path: '/' }, (response) => {
      response.on('data', (chunk) => resolve(String(chunk)));
    }).on('error', reject);
  });
}

async function listening(workspace: string, word = 'here'): Promise<{ server: Server; path: string }> {
  const server = answering(word);
  const listened = await listenForOwner(server, workspace);
  if ('why' in listened) throw new Error(listened.why);
  return { server, path: listened.path };
}

describe.skipIf(process.platform === 'win32')('the socket of the owner', () => {
  it('is accessible to its owner only, and removed when the server stops', async () => {
    const workspace = temporaryFolder();
    const { server, path } = await listening(workspace);
    expect(path).toBe(join(workspace, 'server', 'socket'));
    expect([statSync(path).mode & 0o777, statSync(join(workspace, 'server')).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await ask(path)).toBe('here');
    await new Promise((resolve) => server.close(resolve));
    expect(existsSync(path)).toBe(false);
  });

  it('of a running server is kept, and a second server gets none', async () => {
    const workspace = temporaryFolder();
    const { path } = await listening(workspace, 'first');
    expect(await listenForOwner(answering('second'), workspace)).toEqual({
      why: `another server of this workspace has ${path}`,
    });
    expect(await ask(path)).toBe('first');
  });

  it('of a killed server is replaced', async () => {
    const workspace = temporaryFolder();
    const { server, path } = await listening(workspace);
    // Closing removes the file by its name; renamed, it stays as if the process was killed.
    renameSync(path, `${path}.left`);
    await new Promise((resolve) => server.close(resolve));
    renameSync(`${path}.left`, path);
    await expect(ask(path)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await ask((await listening(workspace, 'again')).path)).toBe('again');
  });

  it('does not replace another kind of file', async () => {
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, 'server'), { mode: 0o700 });
    writeFileSync(join(workspace, 'server', 'socket'), 'precious');
    expect(await listenForOwner(answering(''), workspace)).toMatchObject({
      why: expect.stringContaining('is not a socket'),
    });
  });

  it('is not created in a folder that others can enter, or behind a link', async () => {
    const workspace = temporaryFolder();
    const folder = join(workspace, 'server');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    expect(await listenForOwner(answering(''), workspace)).toMatchObject({ why: expect.stringContaining('chmod 700') });
    const linked = temporaryFolder();
    symlinkSync(temporaryFolder(), join(linked, 'server'));
    expect(await listenForOwner(answering(''), linked)).toMatchObject({ why: expect.stringContaining('others may') });
  });

  it('is not created in a missing workspace, or at a path that is too long', async () => {
    const nowhere = join(temporaryFolder(), '.icecore');
    expect(await listenForOwner(answering(''), nowhere)).toMatchObject({ why: expect.stringContaining('no folder') });
    const deep = join(temporaryFolder(), 'x'.repeat(90));
    mkdirSync(deep);
    expect(await listenForOwner(answering(''), deep)).toMatchObject({ why: expect.stringContaining('99 bytes') });
  });
});
