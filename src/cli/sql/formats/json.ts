// One object with the rows in it, in the envelope that all lists of icecore stand in. It is written when the query is
// done, so that a query that fails prints its error and nothing else.
import type { Answer, Column } from '../../../projections/query/questions.ts';
import { stringText } from './json-text.ts';
import { apart } from './names.ts';
import { objectsOf } from './ndjson.ts';
import type { Options } from './options.ts';
import { eachPortion, piece, type Written } from './portions.ts';

export async function writeJson(answer: Answer, { out, limit, asOf, behind, unknown }: Options): Promise<Written> {
  const rows: string[] = [];
  const objects = objectsOf(answer.columns);
  const written = await eachPortion(answer, limit, (chunk, count) => {
    const object = objects(chunk);
    for (let row = 0; row < count; row++) rows.push(object(row));
  });
  const total = written.truncated ? 'null' : rows.length;
  let text = `{"as_of":${stringText(asOf)},"behind":${behind},"unknown":${unknown},"total":${total},"columns":${described(answer.columns)},"rows":[`;
  for (const [i, row] of rows.entries()) {
    text += i === 0 ? row : `,${row}`;
    if (text.length < piece) continue;
    await out.write(text);
    text = '';
  }
  await out.write(`${text}],"truncated":${written.truncated}}\n`);
  return written;
}

/** Columns by the names they have in the rows. */
function described(columns: readonly Column[]): string {
  const names = apart(columns.map(({ name }) => name));
  const texts = columns.map(({ type }, i) => {
    const name = stringText(names[i] ?? '');
    return `{"name":${name},"type":${stringText(type.alias ?? String(type))}}`;
  });
  return `[${texts.join(',')}]`;
}
