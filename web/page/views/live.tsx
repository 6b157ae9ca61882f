import type { ViewProps } from '../shell.tsx';

export function Live({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
