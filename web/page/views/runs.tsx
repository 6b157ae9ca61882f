import type { ViewProps } from '../shell.tsx';

export function Runs({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
