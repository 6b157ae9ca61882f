// Errors of requests and of calls of the library advise what their caller can do, and those of commands their options.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { inFolder } from '../cli/testing/harness.ts';
import { IcecoreError, openWorkspace, type Workspace } from '../index.ts';
import { served } from './testing/served.ts';

const note = {
  id: '11111111-1111-4111-8111-111111111111',
  ...{ type: 'RunAnnotated', actor: 'human/ada', run: 'mine', stream: 'notes-mine', data: { note: 'a' } },
};

const unplaced = { ...note, stream: undefined, id: '11111111-1111-4111-8111-111111111112' };

const json = { 'content-type': 'application/json' };

const post = (path: string, body: string, headers: Record<string, string> = json): [string, RequestInit] => [
  path,
  { method: 'POST', headers, body },
];

/** By what is wrong: the request, and what its error says. */
const requests: Readonly<Record<string, readonly [request: readonly [string, RequestInit?], says: object]>> = {
  'a bad event': [
    post('/events', JSON.stringify({ ...note, data: {} })),
    { remedy: 'Correct it and send the input again: events are not appended twice.' },
  ],
  'an event without a stream': [
    post('/events', JSON.stringify(unplaced)),
    { remedy: expect.stringMatching(/^Name it in every event, or one for all events without\. Correct it/) },
  ],
  'an event that is too large': [
    post('/events', JSON.stringify({ ...note, data: { note: 'a'.repeat(1_100_000) } })),
    { remedy: expect.stringMatching(/^Keep its texts as blobs, as the setting texts says; /) },
  ],
  'lines that are no events': [
    post('/events', 'hello\n', { 'content-type': 'application/x-ndjson' }),
    { message: expect.stringContaining('invalid JSON') },
  ],
  'a query that sets a limit': [['/sql?query=SET threads = 1'], { remedy: 'The settings of DuckDB are fixed here.' }],
  'a query that writes a file': [
    ["/sql?query=COPY runs TO 'a.csv'"],
    { remedy: 'Write the answer of a query to a file where it arrives.' },
  ],
  'an unknown tag': [['/runs?tag=none'], { field: 'tag', message: 'tag: no run has "none"' }],
  'an unknown type': [
    ['/events?type=Nonesuch'],
    { field: 'type', message: expect.stringMatching(/^type: there is no/) },
  ],
  'a comparison of no runs': [['/compare'], { remedy: expect.stringContaining('a tag for all that have it') }],
  'a difference that cannot be passed over': [
    ['/compare?run=a&run=b&despite=suite'],
    { field: 'despite', remedy: 'Different tasks cannot be paired: name a suite that both were evaluated on.' },
  ],
};

describe('errors over HTTP', () => {
  it.each(Object.entries(requests))('name no option of a command: %s', async (_, [request, says]) => {
    const cwd = temporaryFolder();
    await appendedIn(cwd, async () => {});
    const answer = await (await served(cwd)).request(...request);
    const text = await answer.text();
    expect(text).not.toMatch(/(?<![\w-])--[a-z]/);
    const answered = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { error: object }).error);
    expect(answered.find((error) => error !== undefined)).toMatchObject(says);
  });
});

/** With a ledger that has one event. */
async function appendedIn<Result>(cwd: string, body: (workspace: Workspace) => Promise<Result>): Promise<Result> {
  await using workspace = await openWorkspace({ cwd, env: { HOME: cwd } });
  const { stream, ...event } = note;
  await workspace.append(stream, [event]);
  return await body(workspace);
}

/** The error of a call on such a ledger. */
async function faultOf(call: (workspace: Workspace) => Promise<unknown>): Promise<IcecoreError> {
  const fault = await appendedIn(temporaryFolder(), (workspace) => call(workspace).catch((error: unknown) => error));
  if (fault instanceof IcecoreError) return fault;
  throw new Error('expected an IcecoreError', { cause: fault });
}

describe('errors of calls', () => {
  it('name no option, and have what a command says beside it', async () => {
    const refused = await faultOf((workspace) => workspace.appendFrom(Readable.from([Buffer.from('{}')])));
    expect(refused.remedy).toMatch(/^Name it in every event.* Correct it and send the input again/);
    expect(refused.commandRemedy).toContain('--rejects FILE');
    const set = await faultOf((workspace) => workspace.sql('SET threads = 1'));
    expect(set.remedy).toBe('The settings of DuckDB are fixed here.');
    expect(set.commandRemedy).toContain('--memory');
  });
});

it('a command advises its options, also in JSON', async () => {
  const cwd = temporaryFolder();
  await appendedIn(cwd, async () => {});
  const icecore = inFolder(cwd);
  const { stdout, stderr } = await icecore('sql', 'SET threads = 1', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ error: { remedy: expect.stringContaining('--memory') } });
  expect(stderr).toContain('--memory');
});
