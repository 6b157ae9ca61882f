import type { ViewProps } from '../shell.tsx';

export function Compare({ route }: ViewProps) {
  return <h1>{route.of}</h1>;
}
