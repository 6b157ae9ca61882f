import type { ViewProps } from '../shell.tsx';

export function Ablation({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
