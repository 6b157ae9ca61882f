// Checkpoints are loaded into the server of a model before it is asked.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { modelEntriesOf } from '../../lab/models/entries.ts';
import { AdapterServer } from '../../lab/models/testing/adapter-server.ts';
import { Endpoint, status } from '../../lab/models/testing/endpoint.ts';
import { Notebook, question } from '../../lab/models/testing/models.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { Adapters } from './adapters.ts';
import { Models } from './models.ts';
import { packedAdapter } from './testing/archives.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

async function served(serve: object | null = {}) {
  const folder = temporaryFolder();
  const blobs = await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true });
  const { digest } = await blobs.put(packedAdapter());
  const server = new AdapterServer();
  endpoint.script(server.script);
  const models = new Models({
    entries: modelEntriesOf({
      qwen: {
        ...{ url: endpoint.url, model: 'lora-{checkpoint}', base: 'Qwen/Qwen3-4B' },
        ...(serve === null ? {} : { serve }),
      },
    }),
    environment: {},
    permit: () => {},
    book: new Notebook(),
    adapters: new Adapters(join(folder, 'adapters'), async () => blobs),
  });
  return { model: models.open('qwen'), server, folder, digest, checkpoint: { reference: digest, digest } };
}

const paths = (): readonly string[] => endpoint.seen.map(({ path }) => path.replace('/v1/', ''));

describe('a model whose server loads adapters', () => {
  it('loads a checkpoint once, before the first question', async () => {
    const { model, server, folder, digest, checkpoint } = await served();
    await Promise.all([0, 1, 2].map((sample) => model.ask(question('What?', { checkpoint, sample }))));
    expect([...server.loaded]).toEqual([[`lora-${digest}`, join(folder, 'adapters', digest)]]);
    expect(paths()).toEqual(['models', 'load_lora_adapter', 'models', ...Array(3).fill('chat/completions')]);
  });

  it('loads nothing for its base, a served checkpoint or a recorded answer', async () => {
    const { model, server, checkpoint, digest } = await served();
    await model.ask(question());
    expect(paths()).toEqual(['chat/completions']);
    server.loaded.set(`lora-${digest}`, '/elsewhere');
    await model.ask(question('What?', { checkpoint }));
    expect(paths()).toEqual(['chat/completions', 'models', 'chat/completions']);
    await model.ask(question('What?', { checkpoint }));
    expect(paths()).toHaveLength(3);
  });

  it('loads nothing for a checkpoint that is only a name', async () => {
    const { model, server } = await served();
    server.loaded.set('lora-mine', '/elsewhere');
    await model.ask(question('What?', { checkpoint: { reference: 'mine' } }));
    expect(paths()).toEqual(['chat/completions']);
  });

  it('sends the path of the adapter as its server sees it', async () => {
    const { model, digest, checkpoint } = await served({ root: '/adapters/' });
    const said = 'it does not serve lora-';
    await expect(model.ask(question('What?', { checkpoint }))).rejects.toThrow(said);
    expect(endpoint.seen[1]?.body).toEqual({ lora_name: `lora-${digest}`, lora_path: `/adapters/${digest}` });
  });

  it.each<[string, object | null, string]>([
    ['by the response of the server', { root: '/nowhere' }, 'status 404: .*No adapter found for /nowhere'],
    ['by its status, if it loads no adapters', { path: 'load' }, 'does not exist'],
    ['by its absence, without this setting', null, 'does not exist'],
  ])('explains why it is not served: %s', async (_, serve, why) => {
    const { model, checkpoint } = await served(serve);
    await expect(model.ask(question('What?', { checkpoint }))).rejects.toThrow(new RegExp(why));
  });

  it('loads again after a failure', async () => {
    const { model, server, checkpoint } = await served();
    endpoint.script(() => status(403, 'not now'));
    await expect(model.ask(question('What?', { checkpoint }))).rejects.toThrow('not now');
    endpoint.script(server.script);
    await expect(model.ask(question('What?', { checkpoint }))).resolves.toMatchObject({ answer: 'four' });
  });

  it('may list no models: the response to loading then decides', async () => {
    const { model, server, checkpoint } = await served();
    endpoint.script((index, seen) =>
      seen.path.endsWith('/models') ? status(404, 'no such page') : server.script(index, seen),
    );
    await expect(model.ask(question('What?', { checkpoint }))).resolves.toMatchObject({ answer: 'four' });
  });

  it('stops loading on abort, and loads again for the next question', async () => {
    const { model, server, checkpoint } = await served();
    const stop = new AbortController();
    endpoint.script(() => () => {});
    const first = model.ask(question('What?', { checkpoint, signal: stop.signal }));
    await endpoint.arrived();
    const second = model.ask(question('And?', { checkpoint }));
    endpoint.script(server.script);
    stop.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    await expect(second).resolves.toMatchObject({ answer: 'four' });
  });

  it('identifies a checkpoint by the digest of its file', async () => {
    const { digest } = await served();
    expect(digest).toBe(createHash('sha256').update(packedAdapter()).digest('hex'));
  });
});
