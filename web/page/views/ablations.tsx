import type { ViewProps } from '../shell.tsx';

export function Ablations({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
