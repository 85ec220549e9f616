/**
 * Begins requests a few at a time. When many connections send requests at the same moment, Node would begin all of them
 * before any other event has its turn, and requests that are in progress would wait. The clients' addresses take turns.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Each takes about half a millisecond to begin. */
const REQUESTS_PER_TURN = 4;

/** @param addressOf null: the address is not known */
export function paceRequests(
  listener: RequestListener,
  addressOf: (request: IncomingMessage) => string | null,
): RequestListener {
  const waiting = new Map<string | null, (() => void)[]>();
  let begun = 0;
  let turnIsSet = false;

  function setNextTurn(): void {
    if (turnIsSet) return;
    turnIsSet = true;
    setImmediate(() => {
      turnIsSet = false;
      begun = 0;
      while (begun < REQUESTS_PER_TURN && waiting.size > 0) beginNext();
    });
  }

  function beginNext(): void {
    const [entry] = waiting;
    if (entry === undefined) return;
    const [address, queue] = entry;
    // The address goes behind the others.
    waiting.delete(address);
    const begin = queue.shift();
    if (queue.length > 0) waiting.set(address, queue);
    begun++;
    setNextTurn();
    begin?.();
  }

  return (request: IncomingMessage, response: ServerResponse) => {
    setNextTurn();
    if (begun < REQUESTS_PER_TURN && waiting.size === 0) {
      begun++;
      return listener(request, response);
    }
    const address = addressOf(request);
    const queue = waiting.get(address);
    const begin = () => listener(request, response);
    if (queue === undefined) waiting.set(address, [begin]);
    else queue.push(begin);
  };
}
