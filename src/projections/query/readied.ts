// A judged statement, ready to run. The parser has had its say; this is that DuckDB, which will carry it out, sees in it what
// the parser saw: one question, and before it the types that pivots without IN need, one each. Those are temporary: they are
// of this connection alone and end with it.
import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBPreparedStatement,
  StatementType,
} from '@duckdb/node-api';
import { RefusedStatement } from './errors.ts';
import type { Judged } from './judging.ts';

/** To be destroyed by whoever gets it. */
export async function readied(connection: DuckDBConnection, judged: Judged): Promise<DuckDBPreparedStatement> {
  const { pivots, isExplained } = judged;
  const statements = await connection.extractStatements(judged.sql);
  // DuckDB puts such an EXPLAIN between two changes of a setting, which are refused here and not needed.
  const settings = pivots > 0 && isExplained ? 1 : 0;
  if (statements.count !== settings + pivots + 1 + settings)
    throw new RefusedStatement('more than one statement', null);
  const types = settings + pivots;
  for (let index = settings; index < types; index++) {
    const type = await preparedAs([StatementType.CREATE], statements, index);
    await type.run().finally(() => type.destroySync());
  }
  return await preparedAs([StatementType.SELECT, StatementType.EXPLAIN], statements, types);
}

async function preparedAs(
  allowed: readonly StatementType[],
  statements: DuckDBExtractedStatements,
  index: number,
): Promise<DuckDBPreparedStatement> {
  const prepared = await statements.prepare(index);
  const { statementType } = prepared;
  if (allowed.includes(statementType)) return prepared;
  prepared.destroySync();
  throw new RefusedStatement(StatementType[statementType] ?? 'this statement', null);
}
