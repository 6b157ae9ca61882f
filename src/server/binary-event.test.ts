// CloudEvents in binary content mode: attributes as headers, data as the body.
import { describe, expect, it } from 'vitest';
import { toCloudEvent } from '../../schemas/cloudevents.ts';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { sentNote } from '../cli/testing/events.ts';
import { type Served, served } from './testing/served.ts';

const json = { 'content-type': 'application/json' };

async function send(server: Served, headers: Record<string, string>, body: string, path = '/events') {
  const answer = await server.request(path, { method: 'POST', headers, body });
  return { status: answer.status, answer: (await answer.json()) as Record<string, unknown> };
}

/** The attributes of a note as headers. */
function headersOf(index: number, change: Record<string, string> = {}): Record<string, string> {
  const { id = '', stream = '', type = '', at = '', run } = sentNote(index);
  return {
    ...json,
    ...{ 'ce-specversion': '1.0', 'ce-id': id, 'ce-source': 'human/ada', 'ce-type': `icecore.${type}` },
    ...{ 'ce-subject': stream, 'ce-time': at, 'ce-schemaversion': '1' },
    ...(run == null ? {} : { 'ce-run': run }),
    ...change,
  };
}

const data = (note: string): string => JSON.stringify({ note });

describe('a CloudEvent in binary content mode', () => {
  it('is the same event as in structured mode', async () => {
    const server = await served(temporaryFolder());
    expect(await send(server, headersOf(0), data('note 0'))).toMatchObject({ status: 200, answer: { appended: 1 } });
    const { rows } = (await server.json('/events')) as { rows: Parameters<typeof toCloudEvent>[0][] };
    const structured = JSON.stringify(toCloudEvent(rows[0] as never));
    const headers = { 'content-type': 'application/cloudevents+json' };
    expect(await send(server, headers, structured)).toMatchObject({ status: 200, answer: { existed: 1 } });
    expect(await send(server, json, JSON.stringify(sentNote(0)))).toMatchObject({ answer: { existed: 1 } });
  });

  it('may have percent-encoded and quoted header values', async () => {
    const server = await served(temporaryFolder());
    const named = headersOf(1, { 'ce-source': '"human/ad%C3%A9l"', 'content-type': 'application/json; charset=utf-8' });
    expect(await send(server, named, data('é'))).toMatchObject({ status: 200, answer: { appended: 1 } });
    expect(await server.json('/events')).toMatchObject({ rows: [{ actor: 'human/adél', data: { note: 'é' } }] });
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['an unknown attribute', { 'ce-colour': 'red' }, data('x'), 'colour'],
    ['data as a header', { 'ce-data': '{}' }, data('x'), 'ce-data'],
    ['another version', { 'ce-specversion': '0.3' }, data('x'), 'specversion'],
    ['a wrong escape', { 'ce-source': 'human/%FF' }, data('x'), 'ce-source'],
    ['invalid JSON', {}, '{"note":', 'not JSON'],
    ['further fields after the body', {}, '{"note": "x"}, "type": "RunStarted"', 'not JSON'],
    ['no body', {}, '', 'data'],
    ['a stream', { 'content-type': 'application/x-ndjson' }, data('x'), 'one event'],
  ])('with %s is rejected, and nothing is stored', async (_, change, body, said) => {
    const server = await served(temporaryFolder());
    const answer = await server.request('/events', { method: 'POST', headers: headersOf(2, change), body });
    const text = await answer.text();
    expect(text).toContain(said);
    expect(text).toContain('"kind":"bad-input"');
    expect((await server.request('/events')).status).toBe(404);
  });
});
