// The valid rates of every run over its stages, by one query for all of them.
import { useAnswer } from '../api.ts';
import { type Rows, sqlPath } from '../place.ts';

export interface Courses {
  /** Null until they are known. */
  readonly of: ReadonlyMap<string, readonly number[]> | null;
  /** The highest rate of all. */
  readonly most: number;
}

/** A line of 88 pixels shows no more. */
const mostPoints = 40;

// A fork has the stages that it shares, too. Of many stages every nth is taken, and the last.
const query = `SELECT run_id, list(valid ORDER BY stage) AS valid
FROM (
  SELECT l.run_id, l.stage, s.valid,
    row_number() OVER (PARTITION BY l.run_id ORDER BY l.stage DESC) - 1 AS place,
    count(*) OVER (PARTITION BY l.run_id) AS stages
  FROM lineage AS l JOIN stages AS s ON s.run_id = l.recorder_id AND s.stage = l.stage
  WHERE s.valid IS NOT NULL)
WHERE place % ceil(stages / ${mostPoints})::BIGINT = 0
GROUP BY run_id`;

interface Row {
  readonly run_id: string;
  readonly valid: readonly number[];
}

const none: Courses = { of: null, most: 0 };

export function useCourses(version: number): Courses {
  const { value } = useAnswer<Rows<Row>>(sqlPath(query, 10_000), version);
  if (value === null) return none;
  const of = new Map(value.rows.map(({ run_id, valid }) => [run_id, valid]));
  return { of, most: Math.max(0, ...value.rows.flatMap(({ valid }) => valid)) };
}
