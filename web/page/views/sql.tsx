import type { ViewProps } from '../shell.tsx';

export function Sql({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
