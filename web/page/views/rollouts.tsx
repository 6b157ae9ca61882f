import type { ViewProps } from '../shell.tsx';

export function Rollouts({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
