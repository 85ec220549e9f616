/** How deep a JSON text nests, found before it is parsed. */
import { JsonTokenizer, MARK } from './json-tokenizer.js';

/** Whether arrays and objects in a range of bytes nest deeper than so many levels; they need not be valid JSON. */
export function nestsDeeperThan(bytes: Buffer, start: number, stop: number, levels: number): boolean {
  const tokens = new JsonTokenizer(bytes);
  tokens.enter(start, stop);
  let depth = 0;
  for (let mark = tokens.mark(); mark !== MARK.end && mark !== MARK.cut; mark = tokens.mark()) {
    if (mark === MARK.open) {
      depth += 1;
      if (depth > levels) return true;
    } else if (mark === MARK.close) depth -= 1;
  }
  return false;
}
