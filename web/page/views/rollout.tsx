import type { ViewProps } from '../shell.tsx';

export function Rollout({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
