// Endpoints that the server answers by itself, without an operation; and all of them together.
import { z } from 'zod';
import { health, serverIndex } from '../../schemas/server-output.ts';
import { routes } from './operations.ts';
import { type AnswerForm, type Endpoint, text, texts } from './route.ts';

function get<Parameters extends z.ZodObject>(
  declaration: Pick<Endpoint, 'name' | 'path' | 'summary'> &
    Partial<Pick<Endpoint, 'access' | 'kind'>> & { readonly answer: AnswerForm; readonly parameters: Parameters },
) {
  const { answer, ...more } = declaration;
  const answers: Endpoint['answers'] = [answer];
  return { method: 'GET', access: 'read', kind: 'answer', body: null, answers, ...more } as const;
}

const none = z.strictObject({});

export const live = get({
  name: 'live',
  path: '/live',
  summary: 'Events as they are recorded, as server-sent events',
  kind: 'live',
  parameters: z.strictObject({
    type: texts.optional().describe('only these types'),
    stream: texts.optional().describe('only these streams'),
    run: text.optional().describe('only events of this run'),
    after: text.optional().describe('a cursor to continue after, as the header Last-Event-ID (default: from now on)'),
  }),
  answer: {
    media: 'text/event-stream',
    schema: null,
    describe: 'id: the cursor; event: the type; data: as icecore event tail --json',
  },
});

export const healthz = get({
  name: 'healthz',
  path: '/healthz',
  summary: 'Whether the server runs',
  access: null,
  parameters: none,
  answer: { media: 'application/json', schema: health, describe: 'always 200' },
});

export const readyz = get({
  name: 'readyz',
  path: '/readyz',
  summary: 'Whether the ledger answers',
  access: null,
  parameters: none,
  answer: { media: 'application/json', schema: health, describe: '503 if it does not, or the server is stopping' },
});

export const metrics = get({
  name: 'metrics',
  path: '/metrics',
  summary: 'Metrics for Prometheus',
  parameters: none,
  answer: { media: 'text/plain', schema: null, describe: "Prometheus' text format" },
});

export const openapi = get({
  name: 'openapi',
  path: '/openapi.json',
  summary: 'This description as OpenAPI',
  access: null,
  parameters: none,
  answer: { media: 'application/json', schema: z.looseObject({ openapi: z.string() }), describe: 'OpenAPI 3.1' },
});

export const index = get({
  name: 'index',
  path: '/',
  summary: 'What can be asked',
  parameters: none,
  answer: { media: 'application/json', schema: serverIndex, describe: 'every route' },
});

/** In the order of the documentation. */
export const endpoints: readonly Endpoint[] = [...routes, live, healthz, readyz, metrics, openapi, index];
