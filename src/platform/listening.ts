/** How a process says to the launcher that started it on which port it listens, which may be any free one. */

export interface Listening {
  readonly port: number;
}

/** Says nothing when no launcher has started this process. @param url at which it listens */
export function announceListening(url: string): void {
  const listening: Listening = { port: Number(new URL(url).port) };
  // A launcher that has ended ends this process too.
  process.send?.(listening, () => undefined);
}
