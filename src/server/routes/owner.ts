// Routes for commands of the owner, on the socket alone: the answer to a query as the command prints it, and fresh tables.
import { z } from 'zod';
import { type OwnerPiece, type OwnerQuestion, ownerPaths, ownerPieceBytes } from '../../library/own-server.ts';
import { formats } from '../../library/sql/formats/write.ts';
import { recordOf } from '../../library/sql/process/messages.ts';
import { jsonOf, type Route, streamRoute } from '../route.ts';

const question: z.ZodType<OwnerQuestion> = z.strictObject({
  sql: z.string(),
  format: z.enum(formats),
  limit: z.int().nullable(),
  isTTY: z.boolean(),
  columns: z.int(),
  colours: z.boolean(),
  more: z.string(),
});

const pieces = { media: 'application/octet-stream', schema: null, describe: 'pieces, each after its kind and length' };

const sqlPath = { method: 'POST', path: ownerPaths.sql } as const;

const ownerSql = streamRoute({
  ...{ ...sqlPath, name: 'ownerSql', summary: 'Answer an SQL query as icecore sql prints it' },
  ...{ access: 'admin', kind: 'query', answers: [pieces] },
  parameters: { question: z.string() },
  body: { media: ['application/json'], describe: 'the query', parameter: 'question', schema: question },
  async run(workspace, { question: body }, { signal, write }) {
    const { sql, format, limit, isTTY, columns, colours, more } = jsonOf(sqlPath, question, body);
    const send = (piece: OwnerPiece): Promise<void> => write(ownerPieceBytes(piece));
    const begin = sayingThatItWorks(send);
    const sink = {
      ...{ isTTY, columns },
      write: (text: string | Uint8Array) => send({ piece: 'bytes', bytes: Buffer.from(text) }),
    };
    try {
      const rows = await workspace.writeSql(sql, sink, {
        ...{ format, limit, colours, more, signal },
        onStanding: async (standing) => {
          begin();
          await send({ piece: 'standing', standing });
        },
      });
      await send({ piece: 'done', rows });
    } catch (fault) {
      signal.throwIfAborted();
      await send({ piece: 'failed', error: recordOf(fault) });
    } finally {
      begin();
    }
  },
});

const ownerRefresh = streamRoute({
  ...{ name: 'ownerRefresh', path: ownerPaths.refresh, summary: 'Bring the SQL tables up to date' },
  ...{ method: 'POST', access: 'admin', kind: 'query', answers: [pieces] },
  parameters: {},
  async run(workspace, _, { signal, write }) {
    const end = sayingThatItWorks((piece) => write(ownerPieceBytes(piece)));
    try {
      for await (const { events } of workspace.keepFresh({ signal })) {
        await write(ownerPieceBytes({ piece: 'done', rows: events }));
        break;
      }
    } finally {
      end();
    }
  },
});

/** At once, and then every second until the returned function is called. */
function sayingThatItWorks(send: (piece: OwnerPiece) => Promise<void>): () => void {
  let isSaying = false;
  const say = (): void => {
    if (isSaying) return;
    isSaying = true;
    const said = (): void => {
      isSaying = false;
    };
    // Whoever left is noticed by the next piece of the answer.
    send({ piece: 'working' }).then(said, said);
  };
  say();
  const timer = setInterval(say, 1_000);
  return () => clearInterval(timer);
}

/** They are in no documentation: only commands of the same version ask for them. */
export const ownerRoutes: readonly Route[] = [ownerSql, ownerRefresh];
