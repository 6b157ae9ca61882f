// A small line of values in their order, for rows of tables.
import { percent } from '../charts/words.ts';

const width = 88;
const height = 20;
const edge = 3;

interface SparklineProps {
  readonly values: readonly number[];
  /** The value at the upper edge, and 0 at the lower one (default: both are those of the values). */
  readonly most?: number;
  /** What the values are: `valid rate`. */
  readonly what: string;
  readonly words?: (value: number) => string;
}

export function Sparkline({ values, most, what, words: wordsOf = percent }: SparklineProps) {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return <span class="quiet">–</span>;
  const [from, to] = most === undefined ? [Math.min(...values), Math.max(...values)] : [0, most];
  const places = values.map((value, index) => {
    const x = edge + ((width - 2 * edge) * index) / Math.max(1, values.length - 1);
    const y = height - edge - (height - 2 * edge) * (to === from ? 0.5 : (value - from) / (to - from));
    return [x.toFixed(1), y.toFixed(1)] as const;
  });
  const [x, y] = places.at(-1) ?? ['0', '0'];
  const words = values.length === 1 ? wordsOf(last) : `from ${wordsOf(first)} to ${wordsOf(last)}`;
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={`${what}: ${words}`}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      <polyline points={places.map((place) => place.join(',')).join(' ')} />
      <circle cx={x} cy={y} r="2" />
    </svg>
  );
}
